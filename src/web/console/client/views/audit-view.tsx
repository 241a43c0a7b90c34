// The audit log: who did what, when and from where; a click on a name, a channel or a kind narrows it.
import { auditGroups } from '../../../../library/audit/audit-operations.ts';
import { filled } from '../../../pages/client/page-elements.ts';
import {
  type AuditFilter,
  type AuditPlace,
  auditFilters,
  readAuditPlace,
  widened,
  writeAuditPlace,
} from '../audit-place.ts';
import { useConsole, useTexts } from '../console-parts.ts';
import { paths } from '../console-place.ts';
import { AnswerList } from '../parts/answer-list.tsx';
import { AuditSentence } from '../parts/audit-sentence.tsx';
import { CardsTable, type Column } from '../parts/cards-table.tsx';
import { ConsoleIcon } from '../parts/console-icon.tsx';
import { EmptyState } from '../parts/empty-state.tsx';
import { SearchBox } from '../parts/search-box.tsx';
import { When } from '../parts/when.tsx';
import type { Audit, AuditEntry } from '../service-answers.ts';
import type { ConsoleTexts } from '../texts/console-texts.ts';
import { useAnswer } from '../use-answer.ts';
import { useKept } from '../use-kept.ts';

export function AuditView({ query }: { query: string }) {
  const { audit: texts } = useTexts();
  const place = readAuditPlace(query);
  const answered = useAnswer<Audit>(`/manage/v1/audit${writeAuditPlace(place)}`);
  const list = useKept(answered.value, 'audit');
  const { before: _, ...narrowed } = place;
  return (
    <>
      <div class="section-bar">
        <p class="soft">{texts.more}</p>
        <a
          class="press usual small"
          href={`/manage/v1/audit.csv${writeAuditPlace(narrowed)}`}
          download
        >
          <ConsoleIcon name="download" />
          <span>{texts.csv}</span>
        </a>
      </div>
      <div class="list-bar audit-bar">
        <KindChoice place={narrowed} />
        <SearchBox
          label={texts.search}
          q={place.q ?? ''}
          hrefOf={(q) => paths.audit({ ...narrowed, q })}
        />
      </div>
      <AuditChips place={place} entries={list?.entries ?? []} />
      {list ? (
        <Listed place={place} list={list} isBusy={!answered.value} />
      ) : (
        <AnswerList answered={answered} isEmpty={() => false} empty={null}>
          {() => null}
        </AnswerList>
      )}
    </>
  );
}

function KindChoice({ place }: { place: AuditPlace }) {
  const { router } = useConsole();
  const { audit: texts } = useTexts();
  const choose = (value: string) => {
    const group = auditGroups.find((one) => one === value);
    router.go(paths.audit({ ...widened(place, 'group'), ...(group && { group }) }));
  };
  return (
    <select
      class="control audit-kind"
      aria-label={texts.kind}
      value={place.group ?? ''}
      onChange={(event) => choose(event.currentTarget.value)}
    >
      <option value="">{texts.every_kind}</option>
      {auditGroups.map((group) => (
        <option key={group} value={group}>
          {texts.groups[group]}
        </option>
      ))}
    </select>
  );
}

/** What it is narrowed to, each with a way back. */
function AuditChips({ place, entries }: { place: AuditPlace; entries: AuditEntry[] }) {
  const { audit: texts } = useTexts();
  const names = auditFilters.filter((name) => place[name] !== undefined);
  if (names.length === 0) return null;
  return (
    <nav class="chips" aria-label={texts.filters}>
      <span class="soft small-text">{texts.filters}</span>
      {names.map((name) => {
        const said = chipText(name, { place, entries, texts });
        return (
          <a key={name} class="chip" href={paths.audit(widened(place, name))} data-stays>
            <span class="unseen">{filled(texts.filter_remove, { filter: said })}</span>
            <span aria-hidden="true">{said}</span>
            <ConsoleIcon name="close" />
          </a>
        );
      })}
      <a class="press quiet small" href={paths.audit({})} data-stays>
        {texts.filter_clear}
      </a>
    </nav>
  );
}

/** By the name that the rows have for it, else by its number. */
function chipText(
  name: AuditFilter,
  given: { place: AuditPlace; entries: AuditEntry[]; texts: ConsoleTexts['audit'] },
): string {
  const { place, entries, texts } = given;
  if (name === 'group') return place.group ? texts.groups[place.group] : '';
  const id = place[name] ?? 0;
  if (name === 'channel') {
    const named = entries.find(({ target }) => target?.kind === 'channel' && target.id === id);
    return named?.target?.name || filled(texts.a_channel, { id });
  }
  const named = entries.find(({ who }) => who.kind === name && who.id === id);
  return named?.who.name || filled(name === 'person' ? texts.a_person : texts.a_token, { id });
}

function Listed(props: { place: AuditPlace; list: Audit; isBusy: boolean }) {
  const { audit: texts } = useTexts();
  const { place, list, isBusy } = props;
  const columns = useColumns(place);
  const { entries, next_before } = list;
  const isNarrowed = writeAuditPlace(place) !== '';
  return (
    <div class="audit-list" aria-busy={isBusy}>
      {entries.length > 0 && (
        <CardsTable
          label={texts.column_what}
          columns={columns}
          rows={entries}
          keyOf={({ id }) => id}
        />
      )}
      {entries.length === 0 && (
        <EmptyState icon="clock" title={isNarrowed ? texts.empty_filter : texts.empty}>
          {isNarrowed && next_before !== null ? texts.empty_filter_more : undefined}
        </EmptyState>
      )}
      <Pages place={place} next={next_before} />
    </div>
  );
}

function Pages({ place, next }: { place: AuditPlace; next: string | null }) {
  const { audit: texts } = useTexts();
  const { before, ...narrowed } = place;
  if (next === null && before === undefined) return null;
  return (
    <nav class="pager" aria-label={texts.pages}>
      {before === undefined ? (
        <span />
      ) : (
        <a class="press usual small" href={paths.audit(narrowed)}>
          <ConsoleIcon name="left" />
          <span>{texts.newest}</span>
        </a>
      )}
      {next === null ? (
        <span />
      ) : (
        <a class="press usual small" href={paths.audit({ ...narrowed, before: next })} rel="next">
          <span>{texts.older}</span>
          <ConsoleIcon name="right" />
        </a>
      )}
    </nav>
  );
}

function useColumns(place: AuditPlace): Column<AuditEntry>[] {
  const { audit: texts } = useTexts();
  const { before: _, ...narrowed } = place;
  const hrefOf = (more: AuditPlace) => paths.audit({ ...narrowed, ...more });
  return [
    {
      key: 'what',
      title: texts.column_what,
      isHead: true,
      cell: (entry) => (
        <span class="name-lines">
          <AuditSentence entry={entry} hrefOf={hrefOf} />
          <span class="soft small-text">
            <a class="audit-group" href={hrefOf({ group: entry.group })} data-stays>
              {texts.groups[entry.group]}
            </a>
            {entry.operation.startsWith('change') && entry.fields.length > 0 && (
              <> · {filled(texts.fields, { fields: entry.fields.join(', ') })}</>
            )}
          </span>
        </span>
      ),
    },
    {
      key: 'who',
      title: texts.column_who,
      cell: (entry) => <Who entry={entry} hrefOf={hrefOf} />,
    },
    {
      key: 'from',
      title: texts.column_from,
      cell: ({ address, via }) => (
        <span class="soft audit-address">{via === 'command' ? texts.on_server : address}</span>
      ),
    },
    {
      key: 'when',
      title: texts.column_when,
      cell: ({ at }) => <When text={at} />,
    },
  ];
}

function Who({ entry, hrefOf }: { entry: AuditEntry; hrefOf(more: AuditPlace): string }) {
  const { audit: texts } = useTexts();
  const { kind, id, name, manager } = entry.who;
  const usual = { person: texts.a_person, token: texts.a_token, command: texts.by_command }[kind];
  const shown = name === '' ? filled(usual, { id }) : name;
  return (
    <span class="name-lines">
      {kind === 'command' ? (
        <span dir="auto">{shown}</span>
      ) : (
        <a href={hrefOf(kind === 'person' ? { person: id } : { token: id })} dir="auto" data-stays>
          {shown}
        </a>
      )}
      {kind !== 'person' && name !== '' && (
        <span class="soft small-text">
          {kind === 'token' ? filled(texts.a_token, { id }) : texts.by_command}
        </span>
      )}
      {manager && (
        <span class="soft small-text">{filled(texts.manager, { name: manager.username })}</span>
      )}
    </span>
  );
}
