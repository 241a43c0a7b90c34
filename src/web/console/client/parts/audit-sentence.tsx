// What somebody did, as a sentence whose target leads to all that was done to it.
import type { ComponentChildren } from 'preact';
import { filled } from '../../../pages/client/page-elements.ts';
import { useTexts } from '../console-parts.ts';
import type { AuditEntry } from '../service-answers.ts';
import type { ConsoleTexts } from '../texts/console-texts.ts';

export function AuditSentence(props: {
  entry: AuditEntry;
  /** Where all that is about a channel is listed. */
  hrefOf(place: { channel: number }): string;
}) {
  const { audit: texts } = useTexts();
  const { entry, hrefOf } = props;
  const { channel_id } = entry;
  const name = targetName(entry, texts);
  const target =
    channel_id === 0 || name === '' ? (
      quoted(name)
    ) : (
      <a href={hrefOf({ channel: channel_id })} data-stays>
        {quoted(name)}
      </a>
    );
  const [before, after] = sentenceOf(entry, texts).split('{target}', 2);
  return (
    <span dir="auto">
      {before}
      {after !== undefined && target}
      {after}
      {entry.times > 1 && <Count times={entry.times} />}
    </span>
  );
}

function Count({ times }: { times: number }): ComponentChildren {
  const { audit: texts } = useTexts();
  return <strong class="audit-count">{filled(texts.times, { count: times })}</strong>;
}

function quoted(name: string): string {
  return name === '' ? '' : `“${name}”`;
}

function targetName({ target }: AuditEntry, texts: ConsoleTexts['audit']): string {
  if (!target) return '';
  return target.name === '' ? filled(texts.nameless, { id: target.id }) : target.name;
}

/** With `{target}` left in it. A newer service may have done what this page knows no sentence for. */
function sentenceOf(entry: AuditEntry, texts: ConsoleTexts['audit']): string {
  const { operation, via, target, values } = entry;
  if (via === 'command') {
    const sentence = target ? texts.ran_on : texts.ran;
    return sentence.replace('{command}', () => operation);
  }
  const known: Record<string, string> = texts.operations;
  const value = Object.values(values)[0] ?? '';
  return (known[operation] ?? operation).replace('{value}', () => value);
}
