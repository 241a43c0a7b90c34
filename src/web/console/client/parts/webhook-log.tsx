// The log of one webhook: each delivery with what became of it, what was sent and what came back; sent again.
import { useState } from 'preact/hooks';
import { filled } from '../../../pages/client/page-elements.ts';
import { useConsole, useTexts } from '../console-parts.ts';
import type { Sentence } from '../problem-text.ts';
import type { Deliveries, Delivery, WholeDelivery } from '../service-answers.ts';
import { useAct } from '../use-act.ts';
import { useAnswer } from '../use-answer.ts';
import { AnswerList } from './answer-list.tsx';
import { Button } from './button.tsx';
import { CardsTable, type Column } from './cards-table.tsx';
import { Dialog } from './dialog.tsx';
import { EmptyState } from './empty-state.tsx';
import { ProblemState } from './problem-state.tsx';
import { ProblemWords } from './problem-words.tsx';
import { Skeleton } from './skeleton.tsx';
import { When } from './when.tsx';

/** Deliveries come and go while one looks. */
const lookEveryMs = 3_000;
const perPage = 20;

export function WebhookLog(props: { path: string; name: string; onClose(): void }) {
  const { api } = useConsole();
  const { webhooks: texts } = useTexts();
  const { path, name, onClose } = props;
  const [before, go] = useState<number>();
  const [shown, show] = useState<Delivery>();
  const from = before === undefined ? '' : `&before=${before}`;
  const answered = useAnswer<Deliveries>(`${path}/deliveries?perPage=${perPage}${from}`, {
    everyMs: lookEveryMs,
  });
  const act = useAct();
  const resendAll = async () => {
    const again = await act.run(api.post<{ count: number }>(`${path}/resend`, {}));
    if (again) toldOf(again.count);
  };
  const { toasts } = useConsole();
  const toldOf = (count: number) => {
    toasts.done(filled(texts.resend_all_done, { count }));
    answered.reload();
  };
  const title = filled(texts.log_of, { name });
  return (
    <section class="card panel" aria-label={title}>
      <div class="section-bar">
        <h2 dir="auto">{title}</h2>
        <span class="bar-buttons">
          <Button isSmall isBusy={act.isBusy} onClick={resendAll}>
            {texts.resend_all}
          </Button>
          <Button kind="quiet" icon="close" label={texts.log_close} onClick={onClose} />
        </span>
      </div>
      <AnswerList
        answered={answered}
        isEmpty={({ deliveries }) => deliveries.length === 0}
        empty={<EmptyState icon="send" title={texts.no_log} />}
      >
        {({ deliveries, next_before }) => (
          <>
            <DeliveryTable label={title} deliveries={deliveries} onShow={show} />
            <div class="form-actions">
              {next_before !== null && (
                <Button onClick={() => go(next_before)}>{texts.older}</Button>
              )}
              {before !== undefined && (
                <Button onClick={() => go(undefined)}>{texts.newest}</Button>
              )}
            </div>
          </>
        )}
      </AnswerList>
      {shown && (
        <ShownDelivery
          path={`${path}/deliveries/${shown.id}`}
          onClose={() => show(undefined)}
          onResent={answered.reload}
        />
      )}
    </section>
  );
}

function DeliveryTable(props: {
  label: string;
  deliveries: Delivery[];
  onShow(delivery: Delivery): void;
}) {
  const { webhooks: texts } = useTexts();
  const columns: Column<Delivery>[] = [
    {
      key: 'event',
      title: texts.column_event,
      isHead: true,
      cell: (one) => (
        <span class="name-lines">
          <strong>{one.type}</strong>
          {one.problem !== '' && (
            <span class="soft small-text">
              <ProblemOf delivery={one} />
            </span>
          )}
        </span>
      ),
    },
    {
      key: 'state',
      title: texts.column_state,
      cell: ({ state, is_resend }) =>
        is_resend ? `${texts.states[state]}, ${texts.resent}` : texts.states[state],
    },
    {
      key: 'status',
      title: texts.column_status,
      cell: ({ state, status, tries }) =>
        state === 'notice' || tries === 0 ? null : status === 0 ? texts.no_answer : status,
    },
    { key: 'tries', title: texts.column_tries, isNumber: true, cell: ({ tries }) => tries },
    {
      key: 'at',
      title: texts.column_at,
      cell: ({ created_at }) => <When text={created_at} isRelative />,
    },
    {
      key: 'show',
      title: texts.column_actions,
      isActions: true,
      cell: (one) =>
        one.state === 'notice' ? null : (
          <Button isSmall label={`${texts.show}: ${one.type}`} onClick={() => props.onShow(one)}>
            {texts.show}
          </Button>
        ),
    },
  ];
  return (
    <CardsTable
      label={props.label}
      columns={columns}
      rows={props.deliveries}
      keyOf={({ id }) => id}
    />
  );
}

/** The service's own words, which are English. */
function ProblemOf({ delivery }: { delivery: Delivery }) {
  const { webhooks: texts, refused } = useTexts();
  const { state, problem } = delivery;
  const text = state === 'notice' ? texts.notice : texts.problem;
  const said: Sentence =
    refused.language === 'en' ? `${text} ${problem}` : { text, english: problem };
  return <ProblemWords said={said} />;
}

function ShownDelivery(props: { path: string; onClose(): void; onResent(): void }) {
  const { api } = useConsole();
  const { webhooks: texts } = useTexts();
  const { path, onClose, onResent } = props;
  const { value, problem, reload } = useAnswer<WholeDelivery>(path);
  const act = useAct();
  const resend = async () => {
    const again = await act.run(api.post<Delivery>(`${path}/resend`, {}), texts.resend_done);
    if (!again) return;
    onClose();
    onResent();
  };
  return (
    <Dialog
      title={value?.type ?? texts.log}
      onClose={onClose}
      actions={
        value &&
        !value.is_test && (
          <Button icon="send" isBusy={act.isBusy} onClick={resend}>
            {texts.resend}
          </Button>
        )
      }
    >
      {value ? (
        <DeliveryDetails delivery={value} />
      ) : problem ? (
        <ProblemState problem={problem} onRetry={reload} />
      ) : (
        <Skeleton width={24} />
      )}
    </Dialog>
  );
}

/** What was sent and what came back, as it went over the wire. */
export function DeliveryDetails({ delivery }: { delivery: WholeDelivery }) {
  const { webhooks: texts } = useTexts();
  const { state, status, took_ms, next_try_at, request, answer } = delivery;
  return (
    <>
      <p>
        {texts.states[state]} · {status === 0 ? texts.no_answer : status} · {took_ms} ms
        {next_try_at !== '' && (
          <>
            {' '}
            · {texts.next_try} <When text={next_try_at} isRelative />
          </>
        )}
      </p>
      {delivery.problem !== '' && (
        <p>
          <ProblemOf delivery={delivery} />
        </p>
      )}
      <section class="wire">
        <h3>{texts.request}</h3>
        <pre class="mono">{wireText(request)}</pre>
      </section>
      <section class="wire">
        <h3>{texts.answer}</h3>
        <pre class="mono">{wireText(answer) || texts.no_answer}</pre>
      </section>
    </>
  );
}

function wireText({ headers, body }: WholeDelivery['request']): string {
  const lines = headers.map(({ name, value }) => `${name}: ${value}`);
  return [...lines, ...(body === '' ? [] : ['', body])].join('\n');
}
