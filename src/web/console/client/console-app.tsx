// The frame of the console, and the view that the address names.
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Problem } from './api.ts';
import { useConsole, useTexts } from './console-parts.ts';
import { type Place, paths, viewKey } from './console-place.ts';
import { NetworkBanner } from './parts/network-banner.tsx';
import { ProblemState } from './parts/problem-state.tsx';
import { ToastList } from './parts/toast-list.tsx';
import { TopBar } from './parts/top-bar.tsx';
import { AbsentView } from './views/absent-view.tsx';
import { AccountView } from './views/account-view.tsx';
import { ChannelView } from './views/channel-view.tsx';
import { ChannelsView } from './views/channels-view.tsx';
import { LinkView } from './views/link-view.tsx';
import { SignInView } from './views/sign-in-view.tsx';
import { VideosView } from './views/videos-view.tsx';

export function ConsoleApp() {
  const { router } = useConsole();
  const texts = useTexts();
  const { place } = router.moved.value;
  const main = useRef<HTMLElement>(null);
  useArrival();
  return (
    <>
      <button type="button" class="skip press usual" onClick={() => main.current?.focus()}>
        {texts.skip}
      </button>
      <TopBar />
      <NetworkBanner />
      <main class="view" id="content" ref={main} tabIndex={-1}>
        {place.view === 'sign-in' ? (
          <SignInView to={place.to} />
        ) : place.view === 'link' ? (
          <LinkView />
        ) : (
          <SignedIn place={place} />
        )}
      </main>
      <ToastList />
    </>
  );
}

/** Views of whoever is signed in; who is not is asked to, and comes back. */
function SignedIn({ place }: { place: Place }) {
  const { session, router, network } = useConsole();
  const [problem, failed] = useState<Problem>();
  const me = session.me.value;
  const round = network.rounds.value;
  const load = async () => failed(await session.load());
  useEffect(() => {
    if (session.me.value === undefined) load();
  }, [round]);
  useEffect(() => {
    if (me === null)
      router.go(paths.signIn(router.moved.value.address), { replace: true, isForced: true });
  }, [me, router]);
  if (!me && problem && problem.status !== 401)
    return <ProblemState problem={problem} onRetry={load} isView />;
  if (!me) return null;
  switch (place.view) {
    case 'channels':
      return <ChannelsView place={place} />;
    case 'channel':
      return <ChannelView key={place.id} place={place} />;
    case 'videos':
      return <VideosView asked={place.asked} />;
    case 'account':
      return <AccountView place={place} />;
    default:
      return <AbsentView />;
  }
}

/** Whoever comes to another view begins at its head; whoever comes back, where they were. */
function useArrival(): void {
  const { router } = useConsole();
  const moved = router.moved.value;
  const key = viewKey(moved.place);
  const before = useRef(key);
  useLayoutEffect(() => {
    scrollTo(0, moved.scrollY ?? 0);
  }, [moved]);
  useEffect(() => {
    if (before.current === key) return;
    before.current = key;
    document.querySelector('h1')?.focus({ preventScroll: true });
  }, [key]);
}
