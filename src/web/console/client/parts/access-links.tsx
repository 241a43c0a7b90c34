// Links that play: made for a while, copied, taken back; and the end of all access.
import { useState } from 'preact/hooks';
import { useConsole, useTexts } from '../console-parts.ts';
import type { Access, PlayLink } from '../service-answers.ts';
import { useAct } from '../use-act.ts';
import { Button } from './button.tsx';
import { ConfirmDialog } from './confirm-dialog.tsx';
import { SecretText } from './secret-text.tsx';
import { Field } from './text-field.tsx';

const hour = 3_600;
const spans = { hour, day: 24 * hour, week: 7 * 24 * hour, month: 30 * 24 * hour } as const;
type Span = keyof typeof spans;

export function AccessLinks(props: {
  thing: string;
  onChanged(access: Access): void;
  /** Access that was given can be ended here. */
  hasEnd: boolean;
}) {
  const { thing, onChanged, hasEnd } = props;
  const { api } = useConsole();
  const { access: words } = useTexts();
  const [span, choose] = useState<Span>('day');
  const [link, show] = useState<PlayLink>();
  const [isEnding, end] = useState(false);
  const act = useAct();
  const make = async () => {
    const order = { expires_in: spans[span] };
    show(await act.run(api.post<PlayLink>(`${thing}/play-link`, order), words.link_made));
  };
  const takeBack = async () => {
    const order = { pass: link?.pass_id ?? '' };
    const access = await act.run(
      api.post<Access>(`${thing}/access/revoke`, order),
      words.taken_back,
    );
    if (!access) return;
    show(undefined);
    onChanged(access);
  };
  return (
    <section class="card panel form" aria-label={words.links}>
      <h2>{words.links}</h2>
      <p class="soft">{words.links_more}</p>
      <Field label={words.lasts}>
        {(joined) => (
          <span class="with-button">
            <select
              {...joined}
              class="control"
              value={span}
              onChange={(event) => choose(event.currentTarget.value as Span)}
            >
              {(Object.keys(spans) as Span[]).map((one) => (
                <option key={one} value={one}>
                  {words.spans[one]}
                </option>
              ))}
            </select>
            <Button icon="plus" isBusy={act.isBusy} onClick={make}>
              {words.make_link}
            </Button>
          </span>
        )}
      </Field>
      {link && <MadeLink link={link} />}
      {(link || hasEnd) && (
        <div class="form-actions">
          {link && hasEnd && <Button onClick={takeBack}>{words.take_back}</Button>}
          {hasEnd && <Button onClick={() => end(true)}>{words.end_all}</Button>}
        </div>
      )}
      {isEnding && (
        <ConfirmDialog<Access>
          title={words.end_all_title}
          submit={words.end_all_submit}
          ask={() => api.post(`${thing}/access/revoke`)}
          said={words.ended}
          onClose={() => end(false)}
          onDone={(access) => {
            show(undefined);
            onChanged(access);
          }}
        >
          {words.end_all_more}
        </ConfirmDialog>
      )}
    </section>
  );
}

function MadeLink({ link }: { link: PlayLink }) {
  const { access: words } = useTexts();
  const page = typeof link.watch_url === 'string' ? link.watch_url : link.watch_url.pc;
  return (
    <>
      <SecretText name={words.page_link} text={page} />
      <SecretText name={words.embed_link} text={link.embed_url} />
      {link.hls_play_addr && <SecretText name={words.hls_link} text={link.hls_play_addr} />}
      {link.rtmp_play_addr && <SecretText name={words.rtmp_link} text={link.rtmp_play_addr} />}
    </>
  );
}
