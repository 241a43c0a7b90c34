// What a one-time link is for: the first person, an invitation, or a new password.
import { useEffect, useState } from 'preact/hooks';
import {
  newPasswordField,
  personNameField,
  userNameField,
} from '../../../../library/people/person-fields.ts';
import { filled } from '../../../pages/client/page-elements.ts';
import type { Problem } from '../api.ts';
import { useConsole, useTexts, useTimes } from '../console-parts.ts';
import { home, paths } from '../console-place.ts';
import { fieldsProblem } from '../field-check.ts';
import { Button, ButtonLink } from '../parts/button.tsx';
import { Form } from '../parts/form.tsx';
import { FormProblem } from '../parts/form-problem.tsx';
import { ProblemState } from '../parts/problem-state.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { PasswordField, TextField } from '../parts/text-field.tsx';
import { useTitle } from '../parts/view-head.tsx';
import { fieldProblem, problemText } from '../problem-text.ts';
import type { ChannelList, LookedLink } from '../service-answers.ts';
import type { ConsoleTexts } from '../texts/console-texts.ts';

export function LinkView() {
  const { api, network } = useConsole();
  const texts = useTexts();
  // Behind the `#` no server, proxy or log sees it.
  const [secret] = useState(() => location.hash.slice(1));
  const [looked, look] = useState<LookedLink>();
  const [problem, failed] = useState<Problem>();
  const round = network.rounds.value;
  const ask = async () => {
    const body = { link: secret };
    const reply = await api.post<LookedLink>('/manage/v1/links/look', body, { isOpen: true });
    look(reply.value);
    failed(reply.problem);
  };
  useEffect(() => {
    if (secret !== '' && !looked) ask();
  }, [round]);
  if (secret === '') return <NoLink title={texts.link.none_title} more={texts.link.none} />;
  const isGone = problem?.kind === 'refused' && problem.status < 429;
  if (isGone) return <NoLink title={texts.link.gone_title} more={texts.link.gone} />;
  if (problem) return <ProblemState problem={problem} onRetry={ask} isView />;
  return looked ? <LinkForm secret={secret} link={looked} /> : <LinkLoading />;
}

function NoLink({ title, more }: { title: string; more: string }) {
  const { link } = useTexts();
  useTitle(title);
  return (
    <section class="card doorway">
      <h1 tabIndex={-1}>{title}</h1>
      <p>{more}</p>
      <ButtonLink href={paths.signIn()}>{link.to_sign_in}</ButtonLink>
    </section>
  );
}

function LinkLoading() {
  const { common } = useTexts();
  useTitle(common.loading);
  return (
    <section class="card doorway" aria-busy="true">
      <h1 tabIndex={-1}>
        <span class="unseen">{common.loading}</span>
        <Skeleton width={18} />
      </h1>
      <p>
        <Skeleton width={36} />
      </p>
    </section>
  );
}

function LinkForm({ secret, link }: { secret: string; link: LookedLink }) {
  const texts = useTexts();
  const { common } = texts;
  const times = useTimes();
  const { title, more, submit } = sayingOf(link, texts.link);
  const use = useLink(secret, link);
  const { typed, type, isTried } = use;
  useTitle(title);
  const missing = (text: string) => (isTried && text.trim() === '' ? common.required : undefined);
  const wrong = (name: 'name' | 'user_name' | 'password') =>
    missing(typed[name]) ?? fieldProblem(use.problem, name, texts);
  const until = times.instant(link.expires_at);
  return (
    <section class="card doorway">
      <h1 tabIndex={-1}>{title}</h1>
      <p>{more}</p>
      <Form onSubmit={use.submit}>
        {link.for !== 'reset' && (
          <>
            <TextField
              label={texts.link.name}
              hint={texts.link.name_hint}
              name="name"
              autocomplete="name"
              value={typed.name}
              onInput={(name) => type({ ...typed, name })}
              error={wrong('name')}
              isFocused
            />
            <TextField
              label={texts.link.user_name}
              hint={texts.link.user_name_hint}
              name="username"
              autocomplete="username"
              value={typed.user_name}
              onInput={(user_name) => type({ ...typed, user_name })}
              error={wrong('user_name')}
            />
          </>
        )}
        <PasswordField
          label={texts.link.password}
          hint={texts.link.password_hint}
          value={typed.password}
          onInput={(password) => type({ ...typed, password })}
          error={wrong('password')}
          isNew
        />
        <FormProblem text={use.problem && problemText(use.problem, texts)} />
        <Button kind="main" type="submit" isBusy={use.isBusy}>
          {submit}
        </Button>
      </Form>
      {until !== undefined && (
        <p class="soft small-text">
          {filled(texts.link.valid_until, { time: times.short(until, Date.now()) })}
        </p>
      )}
    </section>
  );
}

/** Those that can be told wrong before the service is asked. */
const linkFields = {
  name: personNameField,
  user_name: userNameField,
  password: newPasswordField,
};

/** What was typed, and what becomes of it. */
function useLink(secret: string, link: LookedLink) {
  const { api, session, router, answers } = useConsole();
  const [typed, type] = useState({ name: link.name, user_name: link.user_name, password: '' });
  const [isTried, tried] = useState(false);
  const [isBusy, busy] = useState(false);
  const [problem, failed] = useState<Problem>();
  const submit = async () => {
    tried(true);
    const { name, user_name, password } = typed;
    const isWhole = link.for === 'reset' || (name.trim() !== '' && user_name.trim() !== '');
    if (password === '' || !isWhole) return;
    const body = { link: secret, password, ...(link.for !== 'reset' && { name, user_name }) };
    const wrong = fieldsProblem(linkFields, body);
    if (wrong) return failed(wrong);
    busy(true);
    const reply = await api.post('/manage/v1/links/use', body, { isOpen: true });
    answers.clear();
    const loading = reply.problem ?? (await session.load());
    busy(false);
    failed(loading);
    if (loading) return;
    const list = await api.get<ChannelList>('/manage/v1/channels');
    const [only, ...others] = list.value?.channels ?? [];
    // The first person's first channel waits for its encoder.
    const to = only && others.length === 0 ? paths.channel(only.id) : home;
    router.go(to, { replace: true });
  };
  return { typed, type, isTried, isBusy, problem, submit };
}

function sayingOf(link: LookedLink, texts: ConsoleTexts['link']) {
  const values = {
    account: link.account.name,
    manager: link.manager?.username ?? '',
    user_name: link.user_name,
  };
  const invited = link.manager ? texts.more_invite_manager : texts.more_invite;
  const said = {
    first: { title: texts.title_first, more: texts.more_first, submit: texts.submit_first },
    invite: { title: texts.title_invite, more: invited, submit: texts.submit_invite },
    reset: { title: texts.title_reset, more: texts.more_reset, submit: texts.submit_reset },
  }[link.for];
  return { ...said, more: filled(said.more, values) };
}
