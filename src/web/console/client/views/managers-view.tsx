// Channel managers: whose channels are whose; made, renamed and removed.
import { useState } from 'preact/hooks';
import { filled } from '../../../pages/client/page-elements.ts';
import { useConsole, useTexts, useTimes } from '../console-parts.ts';
import { AnswerList } from '../parts/answer-list.tsx';
import { Button } from '../parts/button.tsx';
import { CardsTable, type Column } from '../parts/cards-table.tsx';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { ConsoleIcon } from '../parts/console-icon.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { EmptyState } from '../parts/empty-state.tsx';
import { Form } from '../parts/form.tsx';
import { managersPath } from '../parts/manager-choice.tsx';
import { Menu } from '../parts/menu.tsx';
import { TextField } from '../parts/text-field.tsx';
import { When } from '../parts/when.tsx';
import { fieldProblem } from '../problem-text.ts';
import type { Manager, Managers } from '../service-answers.ts';
import { useAct } from '../use-act.ts';
import { useAnswer } from '../use-answer.ts';

export function ManagersView() {
  const { api } = useConsole();
  const { account: texts } = useTexts();
  const times = useTimes();
  const answered = useAnswer<Managers>(managersPath);
  const [isMaking, make] = useState(false);
  const [named, rename] = useState<Manager>();
  const [leaving, remove] = useState<Manager>();
  const columns: Column<Manager>[] = [
    {
      key: 'name',
      title: texts.column_manager,
      isHead: true,
      cell: ({ username }) => <strong dir="auto">{username}</strong>,
    },
    {
      key: 'channels',
      title: texts.column_channels,
      isNumber: true,
      cell: ({ channels }) => times.count(channels),
    },
    { key: 'made', title: texts.column_made, cell: ({ created_at }) => <When text={created_at} /> },
    {
      key: 'menu',
      title: texts.column_actions,
      isActions: true,
      cell: (manager) => (
        <Menu
          label={filled(texts.actions_of, { name: manager.username })}
          isQuiet
          groups={[
            {
              items: [
                { text: texts.rename, icon: 'pen', onChoose: () => rename(manager) },
                {
                  text: texts.remove,
                  icon: 'trash',
                  isDanger: true,
                  onChoose: () => remove(manager),
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
  const newOne = (
    <Button kind="main" icon="plus" onClick={() => make(true)}>
      {texts.new_manager}
    </Button>
  );
  return (
    <>
      <div class="section-bar">
        <p class="soft">{texts.managers_more}</p>
        {(answered.value?.managers.length ?? 0) > 0 && newOne}
      </div>
      <AnswerList
        answered={answered}
        isEmpty={({ managers }) => managers.length === 0}
        empty={<EmptyState icon="people" title={texts.no_managers} action={newOne} />}
      >
        {({ managers }) => (
          <CardsTable
            label={texts.sections.managers}
            columns={columns}
            rows={managers}
            keyOf={({ id }) => id}
          />
        )}
      </AnswerList>
      {isMaking && (
        <NameManager manager={undefined} onClose={() => make(false)} onDone={answered.reload} />
      )}
      {named && (
        <NameManager manager={named} onClose={() => rename(undefined)} onDone={answered.reload} />
      )}
      {leaving && (
        <ConfirmDialog
          title={filled(texts.remove_manager_title, { name: leaving.username })}
          submit={texts.remove}
          ask={() => api.remove(`${managersPath}/${leaving.id}`)}
          said={filled(texts.removed, { name: leaving.username })}
          onClose={() => remove(undefined)}
          onDone={answered.reload}
        >
          {texts.remove_manager_more}
        </ConfirmDialog>
      )}
    </>
  );
}

/** A new one, or another name for one. */
function NameManager(props: { manager: Manager | undefined; onClose(): void; onDone(): void }) {
  const { api, toasts } = useConsole();
  const all = useTexts();
  const { account: texts, common } = all;
  const { manager, onClose, onDone } = props;
  const [username, type] = useState(manager?.username ?? '');
  const [isTried, tried] = useState(false);
  const act = useAct('username');
  const put = (id: number, name: string) =>
    api.put<Manager>(`${managersPath}/${id}`, { username: name });
  const save = async () => {
    tried(true);
    const name = username.trim();
    if (name === '') return;
    const asked = manager
      ? put(manager.id, name)
      : api.post<Manager>(managersPath, { username: name });
    if (!(await act.run(asked))) return;
    onClose();
    onDone();
    if (!manager) toasts.done(filled(texts.manager_made, { name }));
    else
      toasts.done(filled(texts.manager_renamed, { name }), async () => {
        await put(manager.id, manager.username);
        onDone();
      });
  };
  const missing = isTried && username.trim() === '' ? common.required : undefined;
  return (
    <Dialog title={manager ? texts.rename : texts.new_manager} onClose={onClose}>
      <Form onSubmit={save}>
        <TextField
          label={texts.manager_name}
          hint={texts.manager_name_hint}
          value={username}
          onInput={type}
          maxLength={255}
          error={missing ?? fieldProblem(act.problem, 'username', all)}
          isFocused
        />
        <div class="form-actions">
          <Button kind="main" type="submit" isBusy={act.isBusy}>
            {common.save}
          </Button>
          <Button onClick={onClose}>{common.cancel}</Button>
        </div>
      </Form>
    </Dialog>
  );
}
