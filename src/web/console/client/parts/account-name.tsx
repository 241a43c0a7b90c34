// The account's name, which people find it by, and a field to change it.
import { useState } from 'preact/hooks';
import { filled } from '../../../pages/client/page-elements.ts';
import { useConsole, useTexts } from '../console-parts.ts';
import { fieldProblem } from '../problem-text.ts';
import type { Account } from '../service-answers.ts';
import { useAct } from '../use-act.ts';
import { useAnswer } from '../use-answer.ts';
import { AnswerList } from './answer-list.tsx';
import { Button } from './button.tsx';
import { Form } from './form.tsx';
import { TextField } from './text-field.tsx';

export const accountPath = '/manage/v1/account';

export function AccountName() {
  const answered = useAnswer<Account>(accountPath);
  return (
    <AnswerList answered={answered} isEmpty={() => false} empty={null}>
      {(account) => <NameForm key={account.name} name={account.name} onSaved={answered.set} />}
    </AnswerList>
  );
}

function NameForm(props: { name: string; onSaved(account: Account): void }) {
  const { api, session, toasts } = useConsole();
  const all = useTexts();
  const { account: texts, common } = all;
  const [typed, type] = useState(props.name);
  const [isTried, tried] = useState(false);
  const act = useAct('name');
  const name = typed.trim();
  const put = async (to: string) => {
    const account = await act.run(api.put<Account>(accountPath, { name: to }));
    const me = session.me.value;
    if (!account) return false;
    if (me) session.me.value = { ...me, account: { ...me.account, name: to } };
    props.onSaved(account);
    return true;
  };
  const save = async () => {
    tried(true);
    if (name === '' || name === props.name) return;
    if (await put(name))
      toasts.done(filled(texts.account_renamed, { name }), () => {
        put(props.name);
      });
  };
  const missing = isTried && name === '' ? common.required : undefined;
  return (
    <section class="card panel" aria-label={texts.account_title}>
      <Form onSubmit={save}>
        <TextField
          label={texts.account_name}
          hint={texts.account_name_hint}
          value={typed}
          onInput={type}
          maxLength={255}
          autocomplete="organization"
          error={missing ?? fieldProblem(act.problem, 'name', all)}
        />
        <div class="form-actions">
          <Button type="submit" isBusy={act.isBusy} isOff={name === props.name}>
            {common.save}
          </Button>
        </div>
      </Form>
    </section>
  );
}
