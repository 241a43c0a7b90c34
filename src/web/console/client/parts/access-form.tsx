// The kind of access, and what goes with it: the password, the list, or the fields of the form.
import { useState } from 'preact/hooks';
import { type AdmissionKind, admissionKinds } from '../../../../library/admission/admission.ts';
import { admissionLimits } from '../../../../library/admission/admission-limits.ts';
import { filled } from '../../../pages/client/page-elements.ts';
import { useConsole, useTexts, useTimes } from '../console-parts.ts';
import { withNames } from '../form-field-names.ts';
import { formFieldProblems } from '../form-field-problems.ts';
import { fieldProblem } from '../problem-text.ts';
import type { Access } from '../service-answers.ts';
import { useAct } from '../use-act.ts';
import { AccessFormFields, readWritten, writtenFields } from './access-form-fields.tsx';
import { Button } from './button.tsx';
import { Form } from './form.tsx';
import { Segments } from './segments.tsx';
import { Field, PasswordField } from './text-field.tsx';

const { listedMax, passwordCharactersMin } = admissionLimits;

type Kind = AdmissionKind | 'channel';

const noProblems = formFieldProblems([]);

export function AccessForm(props: {
  thing: string;
  access: Access;
  isVideo: boolean;
  onChanged(access: Access): void;
}) {
  const { thing, access, isVideo, onChanged } = props;
  const { api } = useConsole();
  const texts = useTexts();
  const { access: words } = texts;
  const now: Kind = access.of_channel ? 'channel' : access.kind;
  const [kind, choose] = useState<Kind>(now);
  const times = useTimes();
  const [password, type] = useState('');
  const [list, write] = useState(access.list.join('\n'));
  const [show_cover, cover] = useState(access.show_cover);
  const [fields, ask] = useState(() => writtenFields(access.form));
  const [isMarked, mark] = useState(false);
  const act = useAct('password', 'list', 'form');
  const problems = formFieldProblems(kind === 'form' ? readWritten(fields) : []);
  const save = async () => {
    mark(problems.size > 0);
    if (problems.size > 0) return;
    const lines = list.split('\n').filter((line) => line.trim() !== '');
    const order = {
      kind,
      show_cover,
      ...(kind === 'password' && password !== '' && { password }),
      ...(kind === 'list' && { list: lines }),
      ...(kind === 'form' && { form: withNames(readWritten(fields)) }),
    };
    const saved = await act.run(api.put<Access>(`${thing}/access`, order), words.saved);
    if (!saved) return;
    type('');
    ask(writtenFields(saved.form));
    onChanged(saved);
  };
  const kinds: Kind[] = isVideo ? ['channel', ...admissionKinds] : [...admissionKinds];
  const title = isVideo ? words.video_title : words.title;
  return (
    <section class="card panel" aria-label={title}>
      <Form onSubmit={save} label={title}>
        <Segments
          label={title}
          hasLabel
          value={kind}
          choices={kinds.map((one) => ({ value: one, text: words.kinds[one] }))}
          onChoose={(one) => choose(one)}
        />
        <p class="soft">{words.more[kind]}</p>
        {kind === 'password' && (
          <PasswordField
            isNew
            label={words.password}
            value={password}
            onInput={type}
            hint={
              access.has_password
                ? words.password_kept
                : filled(words.password_new, { count: passwordCharactersMin })
            }
            error={fieldProblem(act.problem, 'password', texts)}
          />
        )}
        {kind === 'form' && (
          <AccessFormFields
            fields={fields}
            problems={isMarked ? problems : noProblems}
            error={fieldProblem(act.problem, 'form', texts)}
            onChange={ask}
          />
        )}
        {kind === 'list' && (
          <Field
            label={words.list}
            hint={filled(words.list_hint, { count: times.count(listedMax) })}
            error={fieldProblem(act.problem, 'list', texts)}
          >
            {(joined) => (
              <textarea
                {...joined}
                class="control"
                rows={8}
                value={list}
                spellcheck={false}
                onInput={(event) => write(event.currentTarget.value)}
              />
            )}
          </Field>
        )}
        {kind !== 'open' && kind !== 'channel' && (
          <label class="check">
            <input
              type="checkbox"
              checked={show_cover}
              onChange={(event) => cover(event.currentTarget.checked)}
            />
            <span>{words.show_cover}</span>
          </label>
        )}
        {now !== 'open' && <p class="soft small-text">{words.ends}</p>}
        <div class="form-actions">
          <Button kind="main" type="submit" isBusy={act.isBusy}>
            {words.save}
          </Button>
        </div>
      </Form>
    </section>
  );
}
