// Tokens of programs: made and shown once, narrowed, revoked, with when each was last used.
import { useState } from 'preact/hooks';
import { managerScopes, type Scope, scopes } from '../../../../base/api/caller.ts';
import { filled } from '../../../pages/client/page-elements.ts';
import { useConsole, useTexts } from '../console-parts.ts';
import { AnswerList } from '../parts/answer-list.tsx';
import { Button } from '../parts/button.tsx';
import { CardsTable, type Column } from '../parts/cards-table.tsx';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { ConsoleIcon } from '../parts/console-icon.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { EmptyState } from '../parts/empty-state.tsx';
import { Form } from '../parts/form.tsx';
import { ManagerChoice } from '../parts/manager-choice.tsx';
import { Menu } from '../parts/menu.tsx';
import { SecretText } from '../parts/secret-text.tsx';
import { Field, TextField } from '../parts/text-field.tsx';
import { When } from '../parts/when.tsx';
import { fieldProblem } from '../problem-text.ts';
import type { MadeToken, Token, Tokens } from '../service-answers.ts';
import { useAct } from '../use-act.ts';
import { useAnswer } from '../use-answer.ts';

const tokensPath = '/manage/v1/tokens';

export function TokensView() {
  const { api } = useConsole();
  const { account: texts } = useTexts();
  const answered = useAnswer<Tokens>(tokensPath);
  const [isMaking, make] = useState(false);
  const [made, show] = useState<MadeToken>();
  const [narrowed, narrow] = useState<Token>();
  const [leaving, revoke] = useState<Token>();
  const newOne = (
    <Button kind="main" icon="plus" onClick={() => make(true)}>
      {texts.new_token}
    </Button>
  );
  return (
    <>
      {isMaking ? (
        <NewToken
          onClose={() => make(false)}
          onMade={(token) => {
            make(false);
            show(token);
            answered.reload();
          }}
        />
      ) : (
        <div class="section-bar">
          <p class="soft">{texts.tokens_more}</p>
          {newOne}
        </div>
      )}
      <AnswerList
        answered={answered}
        isEmpty={({ tokens }) => tokens.length === 0}
        empty={<EmptyState icon="key" title={texts.no_tokens} />}
      >
        {({ tokens }) => <TokenTable tokens={tokens} onNarrow={narrow} onRevoke={revoke} />}
      </AnswerList>
      {made && (
        <Dialog
          title={texts.token_made}
          onClose={() => show(undefined)}
          actions={<Button onClick={() => show(undefined)}>{texts.token_kept}</Button>}
        >
          <p>{texts.token_once}</p>
          <SecretText name={texts.token} text={made.token} />
        </Dialog>
      )}
      {narrowed && (
        <NarrowToken token={narrowed} onClose={() => narrow(undefined)} onDone={answered.reload} />
      )}
      {leaving && (
        <ConfirmDialog
          title={filled(texts.revoke_title, { name: nameOf(leaving, texts.unnamed) })}
          submit={texts.revoke}
          ask={() => api.remove(`${tokensPath}/${leaving.id}`)}
          said={filled(texts.revoked, { name: nameOf(leaving, texts.unnamed) })}
          onClose={() => revoke(undefined)}
          onDone={answered.reload}
        >
          {texts.revoke_more}
        </ConfirmDialog>
      )}
    </>
  );
}

function TokenTable(props: {
  tokens: Token[];
  onNarrow(token: Token): void;
  onRevoke(token: Token): void;
}) {
  const { account: texts } = useTexts();
  const columns: Column<Token>[] = [
    {
      key: 'name',
      title: texts.column_token,
      isHead: true,
      cell: (token) => (
        <span class="name-lines">
          <strong dir="auto">{nameOf(token, texts.unnamed)}</strong>
          <span class="soft small-text">{token.scopes.join(', ')}</span>
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
      title: texts.column_last_used,
      cell: ({ last_used_at }) => <When text={last_used_at} never={texts.never_used} isRelative />,
    },
    {
      key: 'ends',
      title: texts.column_until,
      cell: ({ expires_at }) => <When text={expires_at} never={texts.for_ever} />,
    },
    {
      key: 'menu',
      title: texts.column_actions,
      isActions: true,
      cell: (token) => (
        <Menu
          label={filled(texts.actions_of, { name: nameOf(token, texts.unnamed) })}
          isQuiet
          groups={[
            {
              items: [
                { text: texts.narrow, icon: 'pen', onChoose: () => props.onNarrow(token) },
                {
                  text: texts.revoke,
                  icon: 'ban',
                  isDanger: true,
                  onChoose: () => props.onRevoke(token),
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
      label={texts.sections.tokens}
      columns={columns}
      rows={props.tokens}
      keyOf={({ id }) => id}
    />
  );
}

function nameOf({ id, name }: Token, unnamed: string): string {
  return name === '' ? `${unnamed} ${id}` : name;
}

/** In days; 0 is for ever. */
const lives = [30, 90, 365, 0] as const;

function NewToken(props: { onClose(): void; onMade(token: MadeToken): void }) {
  const { api } = useConsole();
  const all = useTexts();
  const { account: texts, common } = all;
  const [name, type] = useState('');
  const [manager_id, choose] = useState(0);
  const [expires_in_days, live] = useState<number>(90);
  const [chosen, choosing] = useState<readonly Scope[]>(managerScopes);
  const act = useAct('name');
  const open = manager_id === 0 ? scopes : managerScopes;
  const given = chosen.filter((scope) => open.includes(scope));
  const make = async () => {
    if (given.length === 0) return;
    const order = { name: name.trim(), manager_id, expires_in_days, scopes: given };
    const made = await act.run(api.post<MadeToken>(tokensPath, order));
    if (made) props.onMade(made);
  };
  return (
    <section class="card new-channel">
      <h2>{texts.new_token}</h2>
      <Form onSubmit={make}>
        <TextField
          label={texts.token_name}
          hint={texts.token_name_hint}
          value={name}
          onInput={type}
          maxLength={255}
          error={fieldProblem(act.problem, 'name', all)}
          isFocused
        />
        <div class="field-row halves">
          <ManagerChoice
            label={texts.column_role}
            hint={texts.token_role_hint}
            value={manager_id}
            onChoose={choose}
          />
          <Field label={texts.column_until} hint={texts.token_life_hint}>
            {(joined) => (
              <select
                {...joined}
                class="control"
                value={String(expires_in_days)}
                onChange={(event) => live(Number(event.currentTarget.value))}
              >
                {lives.map((days) => (
                  <option key={days} value={String(days)}>
                    {days === 0 ? texts.for_ever : filled(texts.days, { days })}
                  </option>
                ))}
              </select>
            )}
          </Field>
        </div>
        <ScopeChoice open={open} chosen={given} onChoose={choosing} />
        <div class="form-actions">
          <Button kind="main" type="submit" isBusy={act.isBusy} isOff={given.length === 0}>
            {texts.token_submit}
          </Button>
          <Button onClick={props.onClose}>{common.cancel}</Button>
        </div>
      </Form>
    </section>
  );
}

function ScopeChoice(props: {
  open: readonly Scope[];
  chosen: readonly Scope[];
  onChoose(scopes: Scope[]): void;
}) {
  const { account: texts } = useTexts();
  const { open, chosen, onChoose } = props;
  return (
    <fieldset class="scopes">
      <legend class="label">{texts.may}</legend>
      {open.map((scope) => (
        <label key={scope} class="check">
          <input
            type="checkbox"
            checked={chosen.includes(scope)}
            onChange={({ currentTarget: { checked } }) =>
              onChoose(open.filter((one) => (one === scope ? checked : chosen.includes(one))))
            }
          />
          <span>
            {texts.scopes[scope]} <code class="soft small-text">{scope}</code>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

/** What it may do can only become less. */
function NarrowToken(props: { token: Token; onClose(): void; onDone(): void }) {
  const { api } = useConsole();
  const { account: texts, common } = useTexts();
  const { token, onClose, onDone } = props;
  const held = scopes.filter((scope) => token.scopes.includes(scope));
  const [chosen, choose] = useState<readonly Scope[]>(held);
  const act = useAct();
  const save = async () => {
    if (chosen.length === 0) return;
    const asked = api.put<Token>(`${tokensPath}/${token.id}`, { scopes: chosen });
    if (!(await act.run(asked, texts.narrowed))) return;
    onClose();
    onDone();
  };
  return (
    <Dialog
      title={filled(texts.narrow_title, { name: nameOf(token, texts.unnamed) })}
      onClose={onClose}
    >
      <Form onSubmit={save}>
        <p class="soft">{texts.narrow_more}</p>
        <ScopeChoice open={held} chosen={chosen} onChoose={choose} />
        <div class="form-actions">
          <Button kind="main" type="submit" isBusy={act.isBusy} isOff={chosen.length === 0}>
            {common.save}
          </Button>
          <Button onClick={onClose}>{common.cancel}</Button>
        </div>
      </Form>
    </Dialog>
  );
}
