// One's own part of the account: name, password, and where one has signed in.
import { useState } from 'preact/hooks';
import { newPasswordField } from '../../../../library/people/person-fields.ts';
import { useConsole, useTexts } from '../console-parts.ts';
import { fieldsProblem } from '../field-check.ts';
import { AnswerList } from '../parts/answer-list.tsx';
import { Button } from '../parts/button.tsx';
import { CardsTable, type Column } from '../parts/cards-table.tsx';
import { Form } from '../parts/form.tsx';
import { PasswordField, TextField } from '../parts/text-field.tsx';
import { When } from '../parts/when.tsx';
import { fieldProblem } from '../problem-text.ts';
import type { Me, MySessions } from '../service-answers.ts';
import { mePath } from '../signed-in.ts';
import { useAct } from '../use-act.ts';
import { useAnswer } from '../use-answer.ts';

export function MeView() {
  return (
    <>
      <div class="two-cards">
        <NameCard />
        <PasswordCard />
      </div>
      <Sessions />
    </>
  );
}

function NameCard() {
  const { api, session } = useConsole();
  const all = useTexts();
  const { account: texts, common } = all;
  const person = session.me.value?.person;
  const [name, type] = useState(person?.name ?? '');
  const [isTried, tried] = useState(false);
  const act = useAct('name');
  const save = async () => {
    tried(true);
    if (name.trim() === '') return;
    const me = await act.run(api.put<Me>(mePath, { name: name.trim() }), texts.name_saved);
    if (me) session.me.value = me;
  };
  const missing = isTried && name.trim() === '' ? common.required : undefined;
  return (
    <section class="card panel">
      <h2>{texts.my_name}</h2>
      <Form onSubmit={save}>
        <TextField
          label={texts.my_name}
          hint={person?.user_name}
          value={name}
          onInput={type}
          maxLength={255}
          autocomplete="name"
          error={missing ?? fieldProblem(act.problem, 'name', all)}
        />
        <div class="form-actions">
          <Button type="submit" isBusy={act.isBusy}>
            {common.save}
          </Button>
        </div>
      </Form>
    </section>
  );
}

function PasswordCard() {
  const { api } = useConsole();
  const all = useTexts();
  const { account: texts, common } = all;
  const [old_password, typeOld] = useState('');
  const [password, typeNew] = useState('');
  const [isTried, tried] = useState(false);
  const act = useAct('old_password', 'password');
  const save = async () => {
    tried(true);
    if (old_password === '' || password === '') return;
    const body = { old_password, password };
    const problem = fieldsProblem({ password: newPasswordField }, body);
    // A wrong old password is a 401, and no session that is over.
    const asked = problem
      ? Promise.resolve({ problem })
      : api.ask<Me>('PUT', mePath, { body, isOpen: true });
    if (!(await act.run(asked, texts.password_saved))) return;
    typeOld('');
    typeNew('');
    tried(false);
  };
  const missing = (text: string) => (isTried && text === '' ? common.required : undefined);
  return (
    <section class="card panel">
      <h2>{texts.my_password}</h2>
      <Form onSubmit={save}>
        <PasswordField
          label={texts.old_password}
          value={old_password}
          onInput={typeOld}
          error={missing(old_password) ?? fieldProblem(act.problem, 'old_password', all)}
          isNew={false}
        />
        <PasswordField
          label={texts.new_password}
          hint={texts.new_password_hint}
          value={password}
          onInput={typeNew}
          error={missing(password) ?? fieldProblem(act.problem, 'password', all)}
          isNew
        />
        <div class="form-actions">
          <Button type="submit" isBusy={act.isBusy}>
            {common.save}
          </Button>
        </div>
      </Form>
    </section>
  );
}

const sessionsPath = `${mePath}/sessions`;

type MySession = MySessions['sessions'][number];

function Sessions() {
  const { api } = useConsole();
  const { account: texts } = useTexts();
  const answered = useAnswer<MySessions>(sessionsPath);
  const act = useAct();
  const end = async (word: string) => {
    if (await act.run(api.post(`${sessionsPath}/${word}`), texts.session_ended)) answered.reload();
  };
  const columns: Column<MySession>[] = [
    {
      key: 'device',
      title: texts.column_device,
      isHead: true,
      cell: ({ device, browser, current }) => (
        <strong>
          {[browser, device].filter(Boolean).join(' · ')}
          {current && <span class="soft"> ({texts.this_one})</span>}
        </strong>
      ),
    },
    { key: 'address', title: texts.column_address, cell: ({ address }) => address },
    {
      key: 'used',
      title: texts.column_last_used,
      cell: ({ last_used_at }) => <When text={last_used_at} isRelative />,
    },
    {
      key: 'menu',
      title: texts.column_actions,
      isActions: true,
      cell: ({ id, current }) =>
        current ? null : (
          <Button isSmall isBusy={act.isBusy} onClick={() => end(`${id}/end`)}>
            {texts.end_session}
          </Button>
        ),
    },
  ];
  return (
    <section class="section" aria-label={texts.my_sessions}>
      <div class="section-bar">
        <h2>{texts.my_sessions}</h2>
        {(answered.value?.sessions.length ?? 0) > 1 && (
          <Button isBusy={act.isBusy} onClick={() => end('end-others')}>
            {texts.end_others}
          </Button>
        )}
      </div>
      <AnswerList answered={answered} isEmpty={() => false} empty={null}>
        {({ sessions }) => (
          <CardsTable
            label={texts.my_sessions}
            columns={columns}
            rows={sessions}
            keyOf={({ id }) => id}
          />
        )}
      </AnswerList>
    </section>
  );
}
