// What somebody answered in a form: by the labels that its fields have now, else by their names.
import type { FormField } from '../../../../library/admission/registration-form.ts';
import { useTexts } from '../console-parts.ts';
import type { Registration } from '../service-answers.ts';

export function AnswerFacts(props: {
  answers: Registration['answers'];
  form: readonly Pick<FormField, 'name' | 'label'>[];
}) {
  const { access: words } = useTexts();
  const labels = new Map(props.form.map(({ name, label }) => [name, label]));
  return (
    <dl class="answers">
      {Object.entries(props.answers).map(([name, answer]) => (
        <div key={name}>
          <dt dir="auto">{labels.get(name) ?? name}</dt>
          <dd dir="auto">
            {typeof answer === 'boolean' ? (answer ? words.yes : words.no) : String(answer)}
          </dd>
        </div>
      ))}
    </dl>
  );
}
