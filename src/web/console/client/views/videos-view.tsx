// The videos: of the account, or of one channel; found, played, renamed, downloaded, deleted and brought back.
import { useState } from 'preact/hooks';
import { filled } from '../../../pages/client/page-elements.ts';
import { useConsole, useTexts } from '../console-parts.ts';
import { paths, type VideosAsked, videoStates } from '../console-place.ts';
import { DeletedList } from '../parts/deleted-list.tsx';
import { EmptyState } from '../parts/empty-state.tsx';
import { Pager } from '../parts/pager.tsx';
import { ProblemState } from '../parts/problem-state.tsx';
import { SearchBox } from '../parts/search-box.tsx';
import { TabLinks } from '../parts/tab-links.tsx';
import { UploadBegin } from '../parts/upload-begin.tsx';
import { UploadDrop } from '../parts/upload-drop.tsx';
import { Uploads } from '../parts/upload-list.tsx';
import { VideoDialog } from '../parts/video-dialog.tsx';
import { type VideoActions, VideoTable, VideoTableLoading } from '../parts/video-table.tsx';
import { ViewHead } from '../parts/view-head.tsx';
import { problemWithoutForm } from '../problem-text.ts';
import type { DeletedVideos, ManagedVideo, ManagedVideos } from '../service-answers.ts';
import { type Answered, useAnswer } from '../use-answer.ts';

/** What is made of videos is looked at so often. */
const listEveryMs = 10_000;

export function VideosView({ asked }: { asked: VideosAsked }) {
  const { videos: texts } = useTexts();
  return (
    <>
      <ViewHead title={texts.title}>
        <UploadBegin channel={undefined} />
      </ViewHead>
      <VideoList asked={asked} hrefOf={paths.videos} />
    </>
  );
}

/** Of one channel, below its tabs. */
export function ChannelVideosView({ id, asked }: { id: number; asked: VideosAsked }) {
  return (
    <UploadDrop channel={id}>
      <VideoList asked={asked} channel={id} hrefOf={(more) => paths.channelVideos(id, more)} />
    </UploadDrop>
  );
}

function VideoList(props: {
  asked: VideosAsked;
  channel?: number;
  hrefOf(asked: Partial<VideosAsked>): string;
}) {
  const { videos: texts } = useTexts();
  const { asked, channel, hrefOf } = props;
  const { q, p } = asked;
  const deleted = useDeleted(props);
  // Those of one channel that were deleted are among the others'.
  const isOfDeleted = asked.state === 'deleted' && channel === undefined;
  const state = asked.state === 'deleted' ? 'all' : asked.state;
  const query = new URLSearchParams({ state, p: String(isOfDeleted ? 1 : p) });
  if (q !== '') query.set('q', q);
  if (channel !== undefined) query.set('channel', String(channel));
  const path = isOfDeleted ? undefined : `/manage/v1/videos?${query}`;
  const answered = useAnswer<ManagedVideos>(path, { everyMs: listEveryMs });
  const tabs = videoStates.filter(
    (one) => one !== 'deleted' || isOfDeleted || (deleted.value?.meta.total ?? 0) > 0,
  );
  const [played, play] = useState<ManagedVideo>();
  const actions = { ...useChanges(answered, deleted.reload), play };
  return (
    <>
      <div class="list-bar">
        <TabLinks
          label={texts.title}
          tabs={tabs.map((one) => ({
            href: hrefOf({ state: one, q: one === 'deleted' ? '' : q }),
            text: one === 'all' ? texts.all : texts.states[one],
            isHere: one === (isOfDeleted ? 'deleted' : state),
          }))}
        />
        {!isOfDeleted && (
          <SearchBox label={texts.search} q={q} hrefOf={(typed) => hrefOf({ state, q: typed })} />
        )}
        {channel !== undefined && <UploadBegin channel={channel} />}
      </div>
      {isOfDeleted ? (
        <DeletedVideoList deleted={deleted} hrefOf={hrefOf} />
      ) : (
        <>
          <Uploads channel={channel} onVideo={answered.reload} />
          <Listed {...{ asked: { ...asked, state }, answered, hrefOf, actions }} />
        </>
      )}
      {played && (
        <VideoDialog video={played} onClose={() => play(undefined)} onChanged={answered.reload} />
      )}
    </>
  );
}

/** Asked for once, and when one was deleted here; of all channels alone. */
function useDeleted({ asked, channel }: { asked: VideosAsked; channel?: number }) {
  const p = asked.state === 'deleted' ? asked.p : 1;
  const path = channel === undefined ? `/manage/v1/deleted-videos?p=${p}` : undefined;
  return useAnswer<DeletedVideos>(path);
}

function DeletedVideoList(props: {
  deleted: Answered<DeletedVideos>;
  hrefOf(asked: Partial<VideosAsked>): string;
}) {
  const { videos: texts, deleted: said } = useTexts();
  return (
    <DeletedList
      answered={props.deleted}
      rowsOf={({ videos }) => videos}
      label={texts.states.deleted}
      column={texts.column_name}
      moreOf={({ channel }) => filled(said.of_channel, { name: channel })}
      restorePath={(id) => `/manage/v1/videos/${id}/restore`}
      hrefOf={(p) => props.hrefOf({ state: 'deleted', p })}
    />
  );
}

function Listed(props: {
  asked: VideosAsked;
  answered: Answered<ManagedVideos>;
  hrefOf(asked: Partial<VideosAsked>): string;
  actions: VideoActions;
}) {
  const { videos: texts } = useTexts();
  const { asked, answered, hrefOf, actions } = props;
  const { value, problem, reload } = answered;
  if (!value && problem) return <ProblemState problem={problem} onRetry={reload} />;
  if (!value) return <VideoTableLoading />;
  if (value.videos.length === 0 && asked.q !== '')
    return <EmptyState icon="search" title={filled(texts.empty_search, { q: asked.q })} />;
  if (value.videos.length === 0)
    return (
      <EmptyState icon="camera" title={asked.state === 'all' ? texts.empty : texts.empty_state}>
        {asked.state === 'all' && texts.empty_more}
      </EmptyState>
    );
  return (
    <>
      <VideoTable videos={value.videos} {...actions} />
      <Pager
        p={value.meta.current}
        pages={value.meta.page}
        hrefOf={(p) => hrefOf({ ...asked, p })}
      />
    </>
  );
}

/** Shown at once; where the service refuses, all is as it was. */
function useChanges(
  { value, set, reload }: Answered<ManagedVideos>,
  onDeleted: () => void,
): Omit<VideoActions, 'play'> {
  const { api, toasts } = useConsole();
  const texts = useTexts();
  const shown = (videos: ManagedVideo[]) => value && set({ ...value, videos });
  const put = async (video: ManagedVideo, name: string): Promise<boolean> => {
    shown((value?.videos ?? []).map((one) => (one.id === video.id ? { ...one, name } : one)));
    const { problem } = await api.put<ManagedVideo>(`/manage/v1/videos/${video.id}`, { name });
    if (problem) toasts.failed(problemWithoutForm(problem, texts));
    reload();
    return problem === undefined;
  };
  const restore = async ({ id }: ManagedVideo) => {
    const { problem } = await api.post(`/manage/v1/videos/${id}/restore`);
    if (problem) toasts.failed(problemWithoutForm(problem, texts));
    reload();
    onDeleted();
  };
  return {
    rename: async (video, name) => {
      if (!(await put(video, name))) return;
      toasts.done(filled(texts.channel.renamed, { name }), () => put(video, video.name));
    },
    remove: async (video) => {
      shown((value?.videos ?? []).filter(({ id }) => id !== video.id));
      const { problem } = await api.ask('DELETE', `/manage/v1/videos/${video.id}`);
      reload();
      onDeleted();
      if (problem) toasts.failed(problemWithoutForm(problem, texts));
      else toasts.done(filled(texts.videos.removed, { name: video.name }), () => restore(video));
    },
  };
}
