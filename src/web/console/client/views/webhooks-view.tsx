// Webhooks: made with a secret that is shown once, tried out, changed, switched off and on, with the log of each.
import { useState } from 'preact/hooks';
import type { EventType } from '../../../../library/events/event.ts';
import { filled } from '../../../pages/client/page-elements.ts';
import { useConsole, useTexts } from '../console-parts.ts';
import { AnswerList } from '../parts/answer-list.tsx';
import { Button } from '../parts/button.tsx';
import { CardsTable, type Column } from '../parts/cards-table.tsx';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { ConsoleIcon } from '../parts/console-icon.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { EmptyState } from '../parts/empty-state.tsx';
import { EventList } from '../parts/event-list.tsx';
import { Form } from '../parts/form.tsx';
import { Menu } from '../parts/menu.tsx';
import { SecretText } from '../parts/secret-text.tsx';
import { TextField } from '../parts/text-field.tsx';
import { DeliveryDetails, WebhookLog } from '../parts/webhook-log.tsx';
import { When } from '../parts/when.tsx';
import { fieldProblem } from '../problem-text.ts';
import type { MadeWebhook, Webhook, Webhooks, WholeDelivery } from '../service-answers.ts';
import { useAct } from '../use-act.ts';
import { useAnswer } from '../use-answer.ts';

const webhooksPath = '/manage/v1/webhooks';
/** What waits and what fails changes by itself. */
const lookEveryMs = 10_000;

/** What a dialog over the list is about. */
interface Opened {
  made?: MadeWebhook;
  rotated?: MadeWebhook;
  tested?: WholeDelivery;
  changing?: Webhook;
  leaving?: Webhook;
}

export function WebhooksView() {
  const { webhooks: texts } = useTexts();
  const answered = useAnswer<Webhooks>(webhooksPath, { everyMs: lookEveryMs });
  const [isMaking, make] = useState(false);
  const [opened, open] = useState<Opened>({});
  const [logged, show] = useState<Webhook>();
  const listed = answered.value?.webhooks.find(({ id }) => id === logged?.id);
  return (
    <>
      {isMaking ? (
        <section class="card new-channel">
          <h2>{texts.make}</h2>
          <WebhookForm
            onClose={() => make(false)}
            onDone={(made) => {
              make(false);
              open({ made });
              answered.reload();
            }}
          />
        </section>
      ) : (
        <div class="section-bar">
          <p class="soft">{texts.more}</p>
          <Button kind="main" icon="plus" onClick={() => make(true)}>
            {texts.make}
          </Button>
        </div>
      )}
      <AnswerList
        answered={answered}
        isEmpty={({ webhooks }) => webhooks.length === 0}
        empty={<EmptyState icon="send" title={texts.none} />}
      >
        {({ webhooks }) => (
          <WebhookTable
            webhooks={webhooks}
            onOpen={open}
            onLog={show}
            onChanged={answered.reload}
          />
        )}
      </AnswerList>
      {listed && (
        <WebhookLog
          key={listed.id}
          path={`${webhooksPath}/${listed.id}`}
          name={nameOf(listed)}
          onClose={() => show(undefined)}
        />
      )}
      <EventList />
      <OpenedDialog opened={opened} onClose={() => open({})} onChanged={answered.reload} />
    </>
  );
}

function OpenedDialog(props: { opened: Opened; onClose(): void; onChanged(): void }) {
  const { api } = useConsole();
  const { webhooks: texts } = useTexts();
  const { opened, onClose, onChanged } = props;
  const { made, rotated, tested, changing, leaving } = opened;
  const secret = made ?? rotated;
  return (
    <>
      {secret && (
        <Dialog
          title={made ? texts.secret_title : texts.secret_new_title}
          onClose={onClose}
          actions={<Button onClick={onClose}>{texts.kept}</Button>}
        >
          <p>{texts.secret_once}</p>
          {rotated && <p>{texts.secret_both}</p>}
          <SecretText name={texts.secret} text={secret.secret} />
        </Dialog>
      )}
      {tested && (
        <Dialog title={texts.tried} onClose={onClose}>
          <DeliveryDetails delivery={tested} />
        </Dialog>
      )}
      {changing && (
        <Dialog title={texts.change_title} onClose={onClose}>
          <WebhookForm
            webhook={changing}
            onClose={onClose}
            onDone={() => {
              onClose();
              onChanged();
            }}
          />
        </Dialog>
      )}
      {leaving && (
        <ConfirmDialog
          title={filled(texts.remove_title, { name: nameOf(leaving) })}
          submit={texts.remove}
          ask={() => api.remove(`${webhooksPath}/${leaving.id}`)}
          said={texts.removed}
          onClose={onClose}
          onDone={onChanged}
        >
          {texts.remove_more}
        </ConfirmDialog>
      )}
    </>
  );
}

/** What it is called by: what it is for, or whither it leads. */
function nameOf({ description, url }: Webhook): string {
  return description === '' ? new URL(url).host : description;
}

function WebhookTable(props: {
  webhooks: Webhook[];
  onOpen(opened: Opened): void;
  onLog(webhook: Webhook): void;
  onChanged(): void;
}) {
  const { webhooks: texts } = useTexts();
  const columns: Column<Webhook>[] = [
    {
      key: 'name',
      title: texts.column_webhook,
      isHead: true,
      cell: (webhook) => (
        <span class="name-lines">
          <strong dir="auto">{nameOf(webhook)}</strong>
          <span class="soft small-text break-words">{webhook.url}</span>
          <span class="soft small-text">{webhook.events.join(', ')}</span>
        </span>
      ),
    },
    {
      key: 'state',
      title: texts.column_state,
      cell: (webhook) => <WebhookState webhook={webhook} />,
    },
    {
      key: 'success',
      title: texts.column_success,
      cell: ({ last_success_at }) => <When text={last_success_at} never={texts.never} isRelative />,
    },
    {
      key: 'menu',
      title: texts.column_actions,
      isActions: true,
      cell: (webhook) => <WebhookMenu webhook={webhook} {...props} />,
    },
  ];
  return (
    <CardsTable
      label={texts.column_webhook}
      columns={columns}
      rows={props.webhooks}
      keyOf={({ id }) => id}
    />
  );
}

function WebhookState({ webhook }: { webhook: Webhook }) {
  const { webhooks: texts } = useTexts();
  const { disabled_reason, failing_since, pending, missed } = webhook;
  const state =
    disabled_reason !== ''
      ? texts.disabled[disabled_reason]
      : failing_since !== ''
        ? texts.failing
        : texts.on;
  return (
    <span class="name-lines">
      <span>{state}</span>
      {pending > 0 && (
        <span class="soft small-text">{filled(texts.waiting, { count: pending })}</span>
      )}
      {missed > 0 && <span class="soft small-text">{filled(texts.missed, { count: missed })}</span>}
    </span>
  );
}

function WebhookMenu(props: {
  webhook: Webhook;
  onOpen(opened: Opened): void;
  onLog(webhook: Webhook): void;
  onChanged(): void;
}) {
  const { api } = useConsole();
  const { webhooks: texts } = useTexts();
  const { webhook, onOpen, onLog, onChanged } = props;
  const path = `${webhooksPath}/${webhook.id}`;
  const act = useAct();
  const turn = async () => {
    const enabled = !webhook.enabled;
    const said = enabled ? texts.is_on : texts.is_off;
    if (await act.run(api.put<Webhook>(path, { enabled }), said)) onChanged();
  };
  const rotate = async () => {
    const rotated = await act.run(api.post<MadeWebhook>(`${path}/rotate-secret`, {}));
    if (rotated) onOpen({ rotated });
  };
  const test = async () => {
    const tested = await act.run(api.post<WholeDelivery>(`${path}/test`, {}));
    if (tested) onOpen({ tested });
  };
  return (
    <span class="bar-buttons">
      <Button isSmall isBusy={act.isBusy} onClick={test}>
        {texts.try}
      </Button>
      <Menu
        label={filled(texts.actions_of, { name: nameOf(webhook) })}
        isQuiet
        groups={[
          {
            items: [
              { text: texts.log, icon: 'clock', onChoose: () => onLog(webhook) },
              { text: texts.change, icon: 'pen', onChoose: () => onOpen({ changing: webhook }) },
              { text: texts.rotate, icon: 'key', onChoose: rotate },
              {
                text: webhook.enabled ? texts.switch_off : texts.switch_on,
                icon: webhook.enabled ? 'pause' : 'play',
                onChoose: turn,
              },
              {
                text: texts.remove,
                icon: 'trash',
                isDanger: true,
                onChoose: () => onOpen({ leaving: webhook }),
              },
            ],
          },
        ]}
      >
        <ConsoleIcon name="more" />
      </Menu>
    </span>
  );
}

/** Of a new one, or of one that is there: then its secret stays. */
function WebhookForm(props: {
  webhook?: Webhook;
  onClose(): void;
  onDone(made: MadeWebhook): void;
}) {
  const { api } = useConsole();
  const all = useTexts();
  const { webhooks: texts, common } = all;
  const { webhook, onClose, onDone } = props;
  const known = Object.keys(texts.events) as EventType[];
  const [url, type] = useState(webhook?.url ?? '');
  const [description, describe] = useState(webhook?.description ?? '');
  const [chosen, choose] = useState<readonly string[]>(
    webhook?.events ?? known.filter((one) => one !== 'audience.session.ended'),
  );
  const act = useAct('url', 'description');
  const events = known.filter((one) => chosen.includes(one));
  const save = async () => {
    if (events.length === 0) return;
    const order = { url: url.trim(), description: description.trim(), events };
    const asked = webhook
      ? api.put<MadeWebhook>(`${webhooksPath}/${webhook.id}`, order)
      : api.post<MadeWebhook>(webhooksPath, order);
    const made = await act.run(asked, webhook && texts.changed);
    if (made) onDone(made);
  };
  return (
    <Form onSubmit={save}>
      <TextField
        label={texts.url}
        hint={texts.url_hint}
        type="url"
        value={url}
        onInput={type}
        maxLength={2_048}
        placeholder="https://"
        error={fieldProblem(act.problem, 'url', all)}
        isRequired
        isFocused
      />
      <TextField
        label={texts.description}
        hint={texts.description_hint}
        value={description}
        onInput={describe}
        maxLength={255}
        error={fieldProblem(act.problem, 'description', all)}
      />
      <fieldset class="scopes">
        <legend class="label">{texts.told_of}</legend>
        {known.map((one) => (
          <label key={one} class="check">
            <input
              type="checkbox"
              checked={chosen.includes(one)}
              onChange={({ currentTarget: { checked } }) =>
                choose(known.filter((other) => (other === one ? checked : chosen.includes(other))))
              }
            />
            <span>
              {texts.events[one]} <code class="soft small-text">{one}</code>
            </span>
          </label>
        ))}
      </fieldset>
      <div class="form-actions">
        <Button kind="main" type="submit" isBusy={act.isBusy} isOff={events.length === 0}>
          {webhook ? common.save : texts.submit}
        </Button>
        <Button onClick={onClose}>{common.cancel}</Button>
      </div>
    </Form>
  );
}
