// What the account has and takes: its settings, the secret of its links, disk by channel, jobs.
import { useState } from 'preact/hooks';
import { filled } from '../../../pages/client/page-elements.ts';
import { useConsole, useTexts, useTimes } from '../console-parts.ts';
import { paths } from '../console-place.ts';
import { accountPath } from '../parts/account-name.tsx';
import { AnswerList } from '../parts/answer-list.tsx';
import { Button } from '../parts/button.tsx';
import { CardsTable, type Column } from '../parts/cards-table.tsx';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { EmptyState } from '../parts/empty-state.tsx';
import { Pager } from '../parts/pager.tsx';
import { ProblemState } from '../parts/problem-state.tsx';
import { ProblemWords } from '../parts/problem-words.tsx';
import { SecretText } from '../parts/secret-text.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { When } from '../parts/when.tsx';
import { jobProblemText } from '../problem-text.ts';
import type { Account, Job, Jobs, Storage } from '../service-answers.ts';
import { useAct } from '../use-act.ts';
import { useAnswer } from '../use-answer.ts';

/** Which page of each of its two lists. */
type StoragePlace = Record<'p' | 'jobs', number>;

export function StorageView({ place }: { place: StoragePlace }) {
  return (
    <>
      <AccountCard />
      <StorageList place={place} />
      <JobList place={place} />
      <ViewerSecret />
    </>
  );
}

function AccountCard() {
  const { api, toasts } = useConsole();
  const { account: texts } = useTexts();
  const answered = useAnswer<Account>(accountPath);
  const act = useAct();
  /** Shown at once, and taken back where it is refused. */
  const set = async (account: Account, auto_save_live_video: boolean) => {
    answered.set({ ...account, auto_save_live_video });
    const value = await act.run(api.put<Account>(accountPath, { auto_save_live_video }));
    answered.set(value ?? account);
    return value;
  };
  const keep = async (account: Account, isKept: boolean) => {
    const value = await set(account, isKept);
    if (value)
      toasts.done(isKept ? texts.saves : texts.saves_not, () => {
        set(value, !isKept);
      });
  };
  return (
    <AnswerList answered={answered} isEmpty={() => false} empty={null}>
      {(account) => (
        <section class="card panel" aria-label={texts.account_title}>
          <h2 dir="auto">{account.name}</h2>
          <Facts account={account} />
          <label class="check">
            <input
              type="checkbox"
              checked={account.auto_save_live_video}
              onChange={(event) => keep(account, event.currentTarget.checked)}
            />
            <span>{texts.auto_save}</span>
          </label>
        </section>
      )}
    </AnswerList>
  );
}

function Facts({ account }: { account: Account }) {
  const { account: texts } = useTexts();
  const times = useTimes();
  const kept = (days: number) => (days === 0 ? texts.for_ever : filled(texts.days, { days }));
  const facts: [string, string][] = [
    [texts.plan, texts.plans[account.plan]],
    [texts.column_channels, times.count(account.channels)],
    [texts.videos, times.count(account.videos)],
    [texts.kept_videos, kept(account.video_retention_days)],
    [texts.kept_records, kept(account.audience_retention_days)],
    [texts.kept_addresses, kept(account.ip_retention_days)],
  ];
  return (
    <dl class="facts-list">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt class="soft small-text">{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function StorageList({ place }: { place: StoragePlace }) {
  const { account: texts } = useTexts();
  const times = useTimes();
  const answered = useAnswer<Storage>(`/manage/v1/storage?p=${place.p}&perPage=20`);
  const columns: Column<Storage['channels'][number]>[] = [
    {
      key: 'name',
      title: texts.column_channel,
      isHead: true,
      cell: ({ id, name }) =>
        name === '' ? (
          <span class="soft">{filled(texts.gone_channel, { id })}</span>
        ) : (
          <a class="row-link" href={paths.channel(id)} dir="auto">
            {name}
          </a>
        ),
    },
    {
      key: 'videos',
      title: texts.videos,
      isNumber: true,
      cell: ({ videos }) => times.count(videos),
    },
    {
      key: 'bytes',
      title: texts.column_size,
      isNumber: true,
      cell: ({ bytes }) => times.bytes(bytes),
    },
  ];
  return (
    <section class="section" aria-label={texts.disk}>
      <h2>{texts.disk}</h2>
      <AnswerList
        answered={answered}
        isEmpty={({ bytes }) => bytes === 0}
        empty={<EmptyState icon="camera" title={texts.no_recordings} />}
      >
        {({ bytes, images_bytes, bytes_max, channels, meta }) => (
          <>
            <p class="soft">
              {bytes_max === 0
                ? filled(texts.disk_used, { bytes: times.bytes(bytes) })
                : filled(texts.disk_of, { bytes: times.bytes(bytes), max: times.bytes(bytes_max) })}
              {images_bytes > 0 &&
                ` ${filled(texts.disk_images, { bytes: times.bytes(images_bytes) })}`}
            </p>
            {channels.length > 0 && (
              <CardsTable
                label={texts.disk}
                columns={columns}
                rows={channels}
                keyOf={({ id }) => id}
              />
            )}
            <Pager
              p={meta.current}
              pages={meta.page}
              hrefOf={(p) => paths.storage({ ...place, p })}
            />
          </>
        )}
      </AnswerList>
    </section>
  );
}

/** What is being made goes on without anybody's doing. */
const jobsEveryMs = 5_000;

function JobList({ place }: { place: StoragePlace }) {
  const { api } = useConsole();
  const all = useTexts();
  const { account: texts, videos } = all;
  const answered = useAnswer<Jobs>(`/manage/v1/jobs?perPage=20&p=${place.jobs}`, {
    everyMs: jobsEveryMs,
  });
  const act = useAct();
  const retry = async ({ id }: Job) => {
    const done = await act.run(api.post(`/manage/v1/jobs/${id}/retry`), texts.job_again);
    if (done) answered.reload();
  };
  const columns: Column<Job>[] = [
    {
      key: 'video',
      title: texts.column_video,
      isHead: true,
      cell: (job) => (
        <span class="name-lines">
          <span dir="auto">{job.video.name}</span>
          {job.problem && (
            <span class="soft small-text">
              <ProblemWords said={jobProblemText(job.problem, all)} />
            </span>
          )}
        </span>
      ),
    },
    { key: 'kind', title: texts.column_file, cell: ({ kind }) => videos.file_names[kind] },
    {
      key: 'state',
      title: texts.column_state,
      cell: ({ state }) => videos.file_states[state === 'done' ? 'ready' : state],
    },
    {
      key: 'changed',
      title: texts.column_changed,
      cell: ({ changed_at }) => <When text={changed_at} isRelative />,
    },
    {
      key: 'menu',
      title: texts.column_actions,
      isActions: true,
      cell: (job) =>
        job.state === 'failed' ? (
          <Button isSmall isBusy={act.isBusy} onClick={() => retry(job)}>
            {texts.job_retry}
          </Button>
        ) : null,
    },
  ];
  return (
    <section class="section" aria-label={texts.jobs}>
      <h2>{texts.jobs}</h2>
      <AnswerList
        answered={answered}
        isEmpty={({ meta }) => meta.total === 0}
        empty={<p class="soft">{texts.no_jobs}</p>}
      >
        {({ jobs, meta }) => (
          <>
            <CardsTable label={texts.jobs} columns={columns} rows={jobs} keyOf={({ id }) => id} />
            <Pager
              p={meta.current}
              pages={meta.page}
              hrefOf={(page) => paths.storage({ ...place, jobs: page })}
              stays
            />
          </>
        )}
      </AnswerList>
    </section>
  );
}

const secretPath = '/manage/v1/viewer-secret';

function ViewerSecret() {
  const { api } = useConsole();
  const { account: texts } = useTexts();
  // Not before somebody wants it: who looks at it stands in the audit log.
  const [isWanted, want] = useState(false);
  const answered = useAnswer<{ secret: string }>(isWanted ? secretPath : undefined);
  const [isAsked, ask] = useState(false);
  const { value, problem, reload } = answered;
  return (
    <section class="card panel" aria-label={texts.secret}>
      <h2>{texts.secret}</h2>
      <p class="soft">{texts.secret_more}</p>
      {!isWanted && (
        <p>
          <Button onClick={() => want(true)}>{texts.secret_show}</Button>
        </p>
      )}
      {isWanted && !value && problem && <ProblemState problem={problem} onRetry={reload} />}
      {isWanted && !value && !problem && <Skeleton width={24} />}
      {value && (
        <SecretText name={texts.secret} text={value.secret}>
          <Button isSmall icon="key" onClick={() => ask(true)}>
            {texts.secret_rotate}
          </Button>
        </SecretText>
      )}
      {isAsked && (
        <ConfirmDialog
          title={texts.secret_rotate_title}
          submit={texts.secret_rotate}
          ask={() => api.post<{ secret: string }>(`${secretPath}/rotate`)}
          said={texts.secret_rotated}
          onClose={() => ask(false)}
          onDone={answered.set}
        >
          {texts.secret_rotate_more}
        </ConfirmDialog>
      )}
    </section>
  );
}
