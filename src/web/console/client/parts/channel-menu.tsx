// What is seldom done with a channel: deleting it, which can be undone by whoever may bring it back.
import { useState } from 'preact/hooks';
import { filled } from '../../../pages/client/page-elements.ts';
import { useConsole, useTexts } from '../console-parts.ts';
import { home, paths } from '../console-place.ts';
import { problemWithoutForm } from '../problem-text.ts';
import type { Channel } from '../service-answers.ts';
import { Button } from './button.tsx';
import { ConsoleIcon } from './console-icon.tsx';
import { Dialog } from './dialog.tsx';
import { Menu } from './menu.tsx';

export function ChannelMenu({ channel }: { channel: Channel }) {
  const { session } = useConsole();
  const { channel: texts, common } = useTexts();
  const [isAsked, ask] = useState(false);
  const remove = useRemoval(channel);
  const mayRestore = session.me.value?.scopes.includes('manage') ?? false;
  return (
    <>
      <Menu
        label={common.more}
        isIcon
        groups={[
          {
            items: [
              {
                text: texts.remove,
                icon: 'trash',
                isDanger: true,
                onChoose: () => (mayRestore ? remove({ canUndo: true }) : ask(true)),
              },
            ],
          },
        ]}
      >
        <ConsoleIcon name="more" />
      </Menu>
      {isAsked && (
        <Dialog
          title={filled(texts.remove_title, { name: channel.name })}
          onClose={() => ask(false)}
          actions={
            <>
              <Button
                kind="danger"
                onClick={() => {
                  ask(false);
                  remove({ canUndo: false });
                }}
              >
                {texts.remove}
              </Button>
              <Button onClick={() => ask(false)}>{common.cancel}</Button>
            </>
          }
        >
          <p>{texts.remove_more}</p>
        </Dialog>
      )}
    </>
  );
}

/** The service's code where the channel is on air. */
const onAirCode = 409_001;

function useRemoval({ id, name }: Channel) {
  const { api, router, toasts, answers } = useConsole();
  const texts = useTexts();
  const restore = async () => {
    const { problem } = await api.post(`/manage/v1/channels/${id}/restore`);
    if (problem) return toasts.failed(problemWithoutForm(problem, texts));
    answers.clear();
    router.go(paths.channel(id));
  };
  return async ({ canUndo }: { canUndo: boolean }) => {
    const { problem } = await api.ask('DELETE', `/v1/activities/${id}`);
    if (problem) {
      const isOnAir = problem.code === onAirCode;
      return toasts.failed(
        isOnAir ? texts.channel.remove_on_air : problemWithoutForm(problem, texts),
      );
    }
    answers.clear();
    await router.go(home);
    toasts.done(filled(texts.channel.removed, { name }), canUndo ? restore : undefined);
  };
}
