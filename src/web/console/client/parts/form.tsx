// A form that the script sends; what it lacks is said in our own words, at the field.
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';

export function Form(props: {
  onSubmit(): Promise<void> | void;
  children: ComponentChildren;
  label?: string;
}) {
  const form = useRef<HTMLFormElement>(null);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    await props.onSubmit();
    // After the fields have been marked.
    requestAnimationFrame(() => {
      form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
    });
  };
  return (
    <form ref={form} class="form" noValidate aria-label={props.label} onSubmit={submit}>
      {props.children}
    </form>
  );
}
