// Codes that let people in: made and shown once, with how often each was used, and taken back.
import { useState } from 'preact/hooks';
import { admissionLimits } from '../../../../library/admission/admission-limits.ts';
import { filled } from '../../../pages/client/page-elements.ts';
import { useConsole, useTexts } from '../console-parts.ts';
import { fieldProblem } from '../problem-text.ts';
import type { AccessCode, AccessCodeList, MadeCodes } from '../service-answers.ts';
import { useAct } from '../use-act.ts';
import { usePagedAnswer } from '../use-paged-answer.ts';
import { AnswerList } from './answer-list.tsx';
import { Button } from './button.tsx';
import { CardsTable, type Column } from './cards-table.tsx';
import { ConsoleIcon } from './console-icon.tsx';
import { Dialog } from './dialog.tsx';
import { EmptyState } from './empty-state.tsx';
import { Form } from './form.tsx';
import { Pager } from './pager.tsx';
import { TextField } from './text-field.tsx';
import { When } from './when.tsx';

const perPage = 100;

export function AccessCodes({ thing }: { thing: string }) {
  const { api } = useConsole();
  const texts = useTexts();
  const { access: words } = texts;
  const path = `${thing}/access/codes`;
  const { answered, turnTo } = usePagedAnswer<AccessCodeList>(path, { perPage });
  const [count, setCount] = useState('20');
  const [uses, setUses] = useState('1');
  const [note, setNote] = useState('');
  const [made, show] = useState<MadeCodes>();
  const act = useAct('count', 'uses', 'note');
  const make = async () => {
    const codes = await act.run(api.post<MadeCodes>(path, { count, uses, note }), words.codes_said);
    show(codes);
    turnTo(1);
    answered.reload();
  };
  const wrong = (name: string) => fieldProblem(act.problem, name, texts);
  return (
    <section class="card panel" aria-label={words.codes}>
      <h2>{words.codes}</h2>
      <Form onSubmit={make} label={words.make_codes}>
        <div class="field-row halves">
          <TextField
            label={words.codes_count}
            value={count}
            onInput={setCount}
            error={wrong('count')}
          />
          <TextField
            label={words.codes_uses}
            value={uses}
            onInput={setUses}
            error={wrong('uses')}
          />
        </div>
        <TextField
          label={words.codes_note}
          value={note}
          onInput={setNote}
          maxLength={admissionLimits.codeNoteCharactersMax}
          error={wrong('note')}
        />
        <div class="form-actions">
          <Button type="submit" icon="plus" isBusy={act.isBusy}>
            {words.make_codes}
          </Button>
        </div>
      </Form>
      <AnswerList
        answered={answered}
        isEmpty={({ meta }) => meta.total === 0}
        empty={<EmptyState icon="key" title={words.no_codes} />}
      >
        {({ codes, meta }) => (
          <>
            <CodeTable thing={thing} codes={codes} onTaken={answered.reload} />
            <Pager p={meta.current} pages={meta.page} onTurn={turnTo} />
          </>
        )}
      </AnswerList>
      {made && <CodesOnce made={made} onClose={() => show(undefined)} />}
    </section>
  );
}

function CodeTable(props: { thing: string; codes: AccessCode[]; onTaken(): void }) {
  const { api } = useConsole();
  const { access: words } = useTexts();
  const act = useAct();
  const takeBack = async ({ id, hint }: AccessCode) => {
    const said = filled(words.taken_code, { code: `${hint}…` });
    if (await act.run(api.post(`${props.thing}/access/revoke`, { code: id }), said))
      props.onTaken();
  };
  const columns: Column<AccessCode>[] = [
    {
      key: 'code',
      title: words.column_code,
      isHead: true,
      cell: ({ hint }) => <span class="mono">{hint}…</span>,
    },
    {
      key: 'note',
      title: words.column_note,
      cell: ({ note }) => (note === '' ? null : <bdi>{note}</bdi>),
    },
    {
      key: 'uses',
      title: words.column_uses,
      cell: ({ uses, uses_max }) =>
        uses_max === 0
          ? String(uses)
          : filled(words.used_of, { uses: String(uses), most: String(uses_max) }),
    },
    {
      key: 'made',
      title: words.column_made,
      cell: ({ created_at }) => <When text={created_at} never="" />,
    },
    {
      key: 'back',
      title: words.column_actions,
      isActions: true,
      cell: (code) => (
        <Button kind="quiet" isSmall onClick={() => takeBack(code)}>
          {words.take_back}
        </Button>
      ),
    },
  ];
  return (
    <div class="codes">
      <CardsTable label={words.codes} columns={columns} rows={props.codes} keyOf={({ id }) => id} />
    </div>
  );
}

function CodesOnce({ made, onClose }: { made: MadeCodes; onClose(): void }) {
  const { access: words } = useTexts();
  const codes = made.codes.map(({ code }) => code);
  // No address of the service has them: they are in this answer alone.
  const file = `data:text/csv;charset=utf-8,${encodeURIComponent(`code\n${codes.join('\n')}\n`)}`;
  return (
    <Dialog
      title={words.codes_made}
      onClose={onClose}
      actions={<Button onClick={onClose}>{words.codes_kept}</Button>}
    >
      <p>{words.codes_once}</p>
      <textarea
        class="control mono"
        readOnly
        rows={Math.min(12, codes.length)}
        aria-label={words.codes_made}
        value={codes.join('\n')}
        onFocus={(event) => event.currentTarget.select()}
      />
      <a class="press usual small" href={file} download="codes.csv">
        <ConsoleIcon name="download" />
        {words.codes_file}
      </a>
    </Dialog>
  );
}
