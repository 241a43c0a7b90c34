// People who may sign in, the invitations that are open, and links to hand over.
import { useState } from 'preact/hooks';
import { filled } from '../../../pages/client/page-elements.ts';
import { useConsole, useTexts } from '../console-parts.ts';
import { AccountName } from '../parts/account-name.tsx';
import { AnswerList } from '../parts/answer-list.tsx';
import { Button } from '../parts/button.tsx';
import { CardsTable, type Column } from '../parts/cards-table.tsx';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { ConsoleIcon } from '../parts/console-icon.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Form } from '../parts/form.tsx';
import { ManagerChoice } from '../parts/manager-choice.tsx';
import { Menu } from '../parts/menu.tsx';
import { SecretText } from '../parts/secret-text.tsx';
import { TextField } from '../parts/text-field.tsx';
import { When } from '../parts/when.tsx';
import { fieldProblem } from '../problem-text.ts';
import type { Invitation, OneTimeLink, People, Person } from '../service-answers.ts';
import { useAct } from '../use-act.ts';
import { useAnswer } from '../use-answer.ts';

const peoplePath = '/manage/v1/people';

export function PeopleView() {
  const { api } = useConsole();
  const { account: texts } = useTexts();
  const answered = useAnswer<People>(peoplePath);
  const [isInviting, invite] = useState(false);
  const [link, handOver] = useState<{ title: string; link: OneTimeLink }>();
  const [leaving, remove] = useState<Person>();
  return (
    <>
      <AccountName />
      {isInviting ? (
        <Invite
          onClose={() => invite(false)}
          onMade={(made) => {
            invite(false);
            handOver({ title: texts.invite_made, link: made });
            answered.reload();
          }}
        />
      ) : (
        <div class="section-bar">
          <p class="soft">{texts.people_more}</p>
          <Button kind="main" icon="plus" onClick={() => invite(true)}>
            {texts.invite}
          </Button>
        </div>
      )}
      <AnswerList answered={answered} isEmpty={() => false} empty={null}>
        {(people) => (
          <>
            <PeopleTable
              people={people.people}
              onReset={(made) => handOver({ title: texts.reset_made, link: made })}
              onRemove={remove}
              onChanged={answered.reload}
            />
            {people.invitations.length > 0 && (
              <InvitationTable invitations={people.invitations} onChanged={answered.reload} />
            )}
          </>
        )}
      </AnswerList>
      {link && <LinkDialog {...link} onClose={() => handOver(undefined)} />}
      {leaving && (
        <ConfirmDialog
          title={filled(texts.remove_person_title, { name: leaving.name })}
          submit={texts.remove}
          ask={() => api.post(`${peoplePath}/${leaving.id}/remove`)}
          said={filled(texts.removed, { name: leaving.name })}
          onClose={() => remove(undefined)}
          onDone={answered.reload}
        >
          {texts.remove_person_more}
        </ConfirmDialog>
      )}
    </>
  );
}

function PeopleTable(props: {
  people: Person[];
  onReset(link: OneTimeLink): void;
  onRemove(person: Person): void;
  onChanged(): void;
}) {
  const { api, session } = useConsole();
  const { account: texts } = useTexts();
  const act = useAct();
  const me = session.me.value?.person?.id;
  const onPerson = (person: Person, word: string) => `${peoplePath}/${person.id}/${word}`;
  const reset = async (person: Person) => {
    const made = await act.run(api.post<OneTimeLink>(onPerson(person, 'reset')));
    if (made) props.onReset(made);
  };
  const end = async (person: Person) => {
    const said = filled(texts.sessions_ended, { name: person.name });
    if (await act.run(api.post(onPerson(person, 'end-sessions')), said)) props.onChanged();
  };
  const columns: Column<Person>[] = [
    {
      key: 'name',
      title: texts.column_person,
      isHead: true,
      cell: (person) => (
        <span class="name-lines">
          <strong dir="auto">
            {person.name}
            {person.id === me && <span class="soft"> ({texts.you})</span>}
          </strong>
          <span class="soft small-text">{person.user_name}</span>
        </span>
      ),
    },
    {
      key: 'role',
      title: texts.column_role,
      cell: ({ manager }) => manager?.username ?? texts.own_side,
    },
    {
      key: 'used',
      title: texts.column_used,
      cell: ({ last_used_at }) => <When text={last_used_at} never={texts.signed_out} isRelative />,
    },
    {
      key: 'menu',
      title: texts.column_actions,
      isActions: true,
      cell: (person) => (
        <Menu
          label={filled(texts.actions_of, { name: person.name })}
          isQuiet
          groups={[
            {
              items: [
                { text: texts.reset, icon: 'key', onChoose: () => reset(person) },
                { text: texts.end_sessions, icon: 'leave', onChoose: () => end(person) },
                {
                  text: texts.remove,
                  icon: 'trash',
                  isDanger: true,
                  onChoose: () => props.onRemove(person),
                },
              ],
            },
          ]}
        >
          <ConsoleIcon name="more" />
        </Menu>
      ),
    },
  ];
  return (
    <CardsTable
      label={texts.sections.people}
      columns={columns}
      rows={props.people}
      keyOf={({ id }) => id}
    />
  );
}

function InvitationTable(props: { invitations: Invitation[]; onChanged(): void }) {
  const { api } = useConsole();
  const { account: texts } = useTexts();
  const act = useAct();
  const withdraw = async ({ id }: Invitation) => {
    const path = `${peoplePath}/invitations/${id}/withdraw`;
    if (await act.run(api.post(path), texts.withdrawn)) props.onChanged();
  };
  const columns: Column<Invitation>[] = [
    {
      key: 'name',
      title: texts.column_invited,
      isHead: true,
      cell: ({ name }) => <span dir="auto">{name || texts.somebody}</span>,
    },
    {
      key: 'role',
      title: texts.column_role,
      cell: ({ manager }) => manager?.username ?? texts.own_side,
    },
    {
      key: 'until',
      title: texts.column_until,
      cell: ({ expires_at }) => <When text={expires_at} />,
    },
    {
      key: 'menu',
      title: texts.column_actions,
      isActions: true,
      cell: (invitation) => (
        <Button isSmall isBusy={act.isBusy} onClick={() => withdraw(invitation)}>
          {texts.withdraw}
        </Button>
      ),
    },
  ];
  return (
    <section class="section" aria-label={texts.invitations}>
      <h2>{texts.invitations}</h2>
      <CardsTable
        label={texts.invitations}
        columns={columns}
        rows={props.invitations}
        keyOf={({ id }) => id}
      />
    </section>
  );
}

function Invite(props: { onClose(): void; onMade(link: OneTimeLink): void }) {
  const { api } = useConsole();
  const all = useTexts();
  const { account: texts, common } = all;
  const [name, type] = useState('');
  const [manager_id, choose] = useState(0);
  const act = useAct('name');
  const invite = async () => {
    const order = { name: name.trim(), manager_id };
    const made = await act.run(api.post<OneTimeLink>(`${peoplePath}/invite`, order));
    if (made) props.onMade(made);
  };
  return (
    <section class="card new-channel">
      <h2>{texts.invite}</h2>
      <Form onSubmit={invite}>
        <div class="field-row">
          <TextField
            label={texts.invite_name}
            hint={texts.invite_name_hint}
            value={name}
            onInput={type}
            maxLength={255}
            error={fieldProblem(act.problem, 'name', all)}
            isFocused
          />
          <ManagerChoice
            label={texts.column_role}
            hint={texts.invite_role_hint}
            value={manager_id}
            onChoose={choose}
          />
        </div>
        <div class="form-actions">
          <Button kind="main" type="submit" isBusy={act.isBusy}>
            {texts.invite_submit}
          </Button>
          <Button onClick={props.onClose}>{common.cancel}</Button>
        </div>
      </Form>
    </section>
  );
}

/** Shown this once. */
function LinkDialog(props: { title: string; link: OneTimeLink; onClose(): void }) {
  const { account: texts, common } = useTexts();
  return (
    <Dialog
      title={props.title}
      onClose={props.onClose}
      actions={<Button onClick={props.onClose}>{common.close}</Button>}
    >
      <p>{texts.link_more}</p>
      <SecretText name={texts.link} text={props.link.link} />
      <p class="soft small-text">
        {texts.column_until}: <When text={props.link.expires_at} />
      </p>
    </Dialog>
  );
}
