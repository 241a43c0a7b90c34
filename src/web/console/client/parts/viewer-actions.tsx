// What can be done about a viewer: mute, ban, take out all that is known of them, erase it.
import { useState } from 'preact/hooks';
import { filled } from '../../../pages/client/page-elements.ts';
import { useConsole, useTexts } from '../console-parts.ts';
import { paths } from '../console-place.ts';
import { problemWithoutForm } from '../problem-text.ts';
import type { ViewerVisits } from '../service-answers.ts';
import { useSilence } from '../use-silence.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { Form } from './form.tsx';
import { TextField } from './text-field.tsx';

interface ActionsProps {
  id: number;
  visits: ViewerVisits;
  /** What is known of them has changed. */
  onChanged(): void;
}

export function ViewerActions(props: ActionsProps) {
  const { session } = useConsole();
  const { viewer: texts, chat } = useTexts();
  const [isErasing, erase] = useState(false);
  const { visitor_id: viewer_id, nick } = props.visits.viewer;
  const silence = useSilence({ ...props, viewer_id, nick });
  const exportAll = useExport(viewer_id);
  const has = (kind: 'mute' | 'ban') => props.visits.silences.some((one) => one.kind === kind);
  const mayManage = session.me.value?.scopes.includes('manage');
  return (
    <div class="view-actions no-print">
      {(['mute', 'ban'] as const).map((kind) => (
        <Button
          key={kind}
          isSmall
          icon={kind}
          onClick={() => silence(has(kind) ? 'lift' : kind, kind)}
        >
          {has(kind) ? (kind === 'mute' ? texts.unmute : texts.unban) : chat[kind]}
        </Button>
      ))}
      {mayManage && (
        <>
          <Button isSmall onClick={exportAll}>
            {texts.export}
          </Button>
          <Button isSmall kind="danger" icon="trash" onClick={() => erase(true)}>
            {texts.erase}
          </Button>
        </>
      )}
      {isErasing && <EraseDialog {...props} onClose={() => erase(false)} />}
    </div>
  );
}

function useExport(viewer_id: string) {
  const { api, toasts } = useConsole();
  const texts = useTexts();
  return async () => {
    const { value, problem } = await api.file('/manage/v1/viewers/export', { viewer_id });
    if (!value) return toasts.failed(problemWithoutForm(problem, texts));
    const address = URL.createObjectURL(value);
    const link = document.createElement('a');
    link.href = address;
    link.download = 'viewer.ndjson';
    link.click();
    URL.revokeObjectURL(address);
  };
}

/** Nothing brings it back, so one writes whom it is about. */
function EraseDialog(props: ActionsProps & { onClose(): void }) {
  const { api, toasts, router, answers } = useConsole();
  const texts = useTexts();
  const { viewer, common } = texts;
  const { visitor_id: viewer_id, nick } = props.visits.viewer;
  const name = nick.trim() || viewer_id;
  const [typed, type] = useState('');
  const [isBusy, busy] = useState(false);
  const [isWrong, wrong] = useState(false);
  const erase = async () => {
    if (typed.trim() !== name.trim()) return wrong(true);
    busy(true);
    const { problem } = await api.post('/manage/v1/viewers/erase', { viewer_id });
    busy(false);
    if (problem) return toasts.failed(problemWithoutForm(problem, texts));
    // What was remembered of them goes, too.
    answers.clear();
    toasts.done(filled(viewer.erased, { name }));
    router.go(paths.channel(props.id, 'audience'), { replace: true });
  };
  return (
    <Dialog title={filled(viewer.erase_title, { name })} onClose={props.onClose}>
      <p>{viewer.erase_more}</p>
      <Form onSubmit={erase}>
        <TextField
          label={filled(viewer.erase_type, { name })}
          value={typed}
          error={isWrong ? viewer.erase_wrong : undefined}
          isFocused
          onInput={(text) => {
            wrong(false);
            type(text);
          }}
        />
        <div class="form-actions">
          <Button kind="danger" type="submit" isBusy={isBusy}>
            {viewer.erase_submit}
          </Button>
          <Button onClick={props.onClose}>{common.cancel}</Button>
        </div>
      </Form>
    </Dialog>
  );
}
