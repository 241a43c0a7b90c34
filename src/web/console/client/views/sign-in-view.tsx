// Signing in, and going on where one was.
import { useEffect, useState } from 'preact/hooks';
import type { Problem } from '../api.ts';
import { useConsole, useTexts } from '../console-parts.ts';
import { home } from '../console-place.ts';
import { Button } from '../parts/button.tsx';
import { Form } from '../parts/form.tsx';
import { FormProblem } from '../parts/form-problem.tsx';
import { PasswordField, TextField } from '../parts/text-field.tsx';
import { useTitle } from '../parts/view-head.tsx';
import { problemText } from '../problem-text.ts';

export function SignInView({ to }: { to: string }) {
  const { api, session, router } = useConsole();
  const texts = useTexts();
  const { sign_in: said, common } = texts;
  const [userName, typeUserName] = useState('');
  const [password, typePassword] = useState('');
  const [isTried, tried] = useState(false);
  const [isBusy, busy] = useState(false);
  const [problem, failed] = useState<Problem>();
  const me = session.me.value;
  useTitle(said.title);
  useEffect(() => {
    if (session.me.value === undefined) session.load();
  }, [session]);
  useEffect(() => {
    if (me) router.go(to, { replace: true });
  }, [me, to, router]);
  const missing = (text: string) => (isTried && text === '' ? common.required : undefined);
  const signIn = async () => {
    tried(true);
    if (userName === '' || password === '') return;
    busy(true);
    const body = { user_name: userName, password };
    const reply = await api.post('/manage/v1/sign-in', body, { isOpen: true });
    const loading = reply.problem ?? (await session.load());
    busy(false);
    failed(loading);
  };
  return (
    <section class="card doorway">
      <h1 tabIndex={-1}>{said.title}</h1>
      {to !== home && <p class="soft">{said.session_over}</p>}
      <Form onSubmit={signIn}>
        <TextField
          label={said.user_name}
          name="username"
          autocomplete="username"
          value={userName}
          onInput={typeUserName}
          error={missing(userName)}
          isFocused
        />
        <PasswordField
          label={said.password}
          value={password}
          onInput={typePassword}
          error={missing(password)}
          isNew={false}
        />
        <FormProblem
          text={problem && (problem.status === 401 ? said.wrong : problemText(problem, texts))}
        />
        <Button kind="main" type="submit" isBusy={isBusy}>
          {said.submit}
        </Button>
      </Form>
      <p class="soft small-text">{said.help}</p>
    </section>
  );
}
