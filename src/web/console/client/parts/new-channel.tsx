// A new channel, made in place: a name, and a start where it is known already.
import { useState } from 'preact/hooks';
import { filled } from '../../../pages/client/page-elements.ts';
import type { Problem } from '../api.ts';
import { useConsole, useTexts, useTimes } from '../console-parts.ts';
import { paths } from '../console-place.ts';
import { fieldProblem, problemText } from '../problem-text.ts';
import type { Channel } from '../service-answers.ts';
import { Button } from './button.tsx';
import { Form } from './form.tsx';
import { FormProblem } from './form-problem.tsx';
import { TextField } from './text-field.tsx';

export function NewChannel({ isFirst, onClose }: { isFirst: boolean; onClose(): void }) {
  const { api, router, toasts } = useConsole();
  const texts = useTexts();
  const { channels: said, common } = texts;
  const times = useTimes();
  const [name, typeName] = useState('');
  const [start, typeStart] = useState('');
  const [isTried, tried] = useState(false);
  const [isBusy, busy] = useState(false);
  const [problem, failed] = useState<Problem>();
  const create = async () => {
    tried(true);
    if (name.trim() === '') return;
    busy(true);
    const at = times.fromField(start);
    const body = { name: name.trim(), ...(at !== undefined && { start_time: times.text(at) }) };
    const reply = await api.post<Channel>('/v1/activities', body);
    busy(false);
    failed(reply.problem);
    if (!reply.value) return;
    toasts.done(filled(said.created, { name: reply.value.name }));
    router.go(paths.channel(reply.value.id));
  };
  const missing = isTried && name.trim() === '' ? common.required : undefined;
  return (
    <section class={`card new-channel${isFirst ? ' first' : ''}`}>
      <h2>{isFirst ? said.empty_title : said.create_title}</h2>
      {isFirst && <p class="soft">{said.empty}</p>}
      <Form onSubmit={create}>
        <div class="field-row">
          <TextField
            label={said.create_name}
            hint={said.create_name_hint}
            value={name}
            onInput={typeName}
            maxLength={255}
            error={missing ?? fieldProblem(problem, 'name', texts)}
            isFocused
          />
          <TextField
            label={said.create_start}
            hint={said.create_start_hint}
            type="datetime-local"
            value={start}
            onInput={typeStart}
            error={fieldProblem(problem, 'start_time', texts)}
          />
        </div>
        <FormProblem text={problem && problemText(problem, texts)} />
        <div class="form-actions">
          <Button kind="main" type="submit" isBusy={isBusy}>
            {said.create_submit}
          </Button>
          {!isFirst && <Button onClick={onClose}>{common.cancel}</Button>}
        </div>
      </Form>
    </section>
  );
}
