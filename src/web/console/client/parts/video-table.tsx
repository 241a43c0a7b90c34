// The list of videos: cover, name, state of the files, length, size, when, and what can be done with each.
import { useState } from 'preact/hooks';
import { filled } from '../../../pages/client/page-elements.ts';
import { useConsole, useTexts, useTimes } from '../console-parts.ts';
import type { ManagedVideo } from '../service-answers.ts';
import { useNow } from '../use-now.ts';
import { CardsTable, type Column } from './cards-table.tsx';
import { CardsTableLoading } from './cards-table-loading.tsx';
import { NameForm } from './channel-name.tsx';
import { ConsoleIcon } from './console-icon.tsx';
import { Menu, type MenuGroup } from './menu.tsx';
import { Skeleton } from './skeleton.tsx';
import { TimeShown } from './time-shown.tsx';
import { playTime, sizeText } from './video-facts.ts';

export interface VideoActions {
  play(video: ManagedVideo): void;
  rename(video: ManagedVideo, name: string): void;
  remove(video: ManagedVideo): void;
}

export function VideoTable({ videos, ...actions }: VideoActions & { videos: ManagedVideo[] }) {
  const { videos: texts } = useTexts();
  const times = useTimes();
  const now = useNow(60_000);
  const [renamed, rename] = useState<number>();
  const columns: Column<ManagedVideo>[] = [
    {
      key: 'name',
      title: texts.column_name,
      isHead: true,
      cell: (video) => (
        <NameCell
          video={video}
          isEdited={video.id === renamed}
          onPlay={() => actions.play(video)}
          onEdited={(name) => {
            rename(undefined);
            if (name !== '' && name !== video.name) actions.rename(video, name);
          }}
        />
      ),
    },
    { key: 'state', title: texts.column_state, cell: ({ state }) => <FilesPill state={state} /> },
    {
      key: 'length',
      title: texts.column_length,
      isNumber: true,
      cell: ({ duration }) => playTime(duration),
    },
    {
      key: 'size',
      title: texts.column_size,
      isNumber: true,
      cell: ({ video_size }) => (video_size > 0 ? sizeText(video_size, times) : null),
    },
    {
      key: 'when',
      title: texts.column_when,
      cell: ({ upload_time }) => {
        const at = times.instant(upload_time);
        return at === undefined ? null : <TimeShown at={at} now={now} />;
      },
    },
    {
      key: 'menu',
      title: texts.column_actions,
      isActions: true,
      cell: (video) => <VideoMenu video={video} {...actions} onRename={() => rename(video.id)} />,
    },
  ];
  return <CardsTable label={texts.title} columns={columns} rows={videos} keyOf={({ id }) => id} />;
}

export function FilesPill({ state }: { state: ManagedVideo['state'] }) {
  const { videos: texts } = useTexts();
  return (
    <span class="pill" data-files={state}>
      <span class="dot" />
      {texts.states[state]}
    </span>
  );
}

function NameCell(props: {
  video: ManagedVideo;
  isEdited: boolean;
  onPlay(): void;
  /** The name as it is where nothing was changed. */
  onEdited(name: string): void;
}) {
  const { videos: texts } = useTexts();
  const { isEdited, onPlay, onEdited } = props;
  const { name, cover_url } = props.video;
  if (isEdited)
    return (
      <NameForm
        label={texts.rename_field}
        name={name}
        onCancel={() => onEdited(name)}
        onName={onEdited}
      />
    );
  return (
    <span class="name-cell video-cell">
      <span class="picture">
        {cover_url === '' ? (
          <ConsoleIcon name="camera" />
        ) : (
          <img src={cover_url} alt="" loading="lazy" decoding="async" />
        )}
      </span>
      <button type="button" class="row-link" dir="auto" onClick={onPlay}>
        {name}
      </button>
    </span>
  );
}

function VideoMenu(props: VideoActions & { video: ManagedVideo; onRename(): void }) {
  const { videos: texts, channel, common } = useTexts();
  const { toasts } = useConsole();
  const { video } = props;
  const copy = async () => {
    await navigator.clipboard.writeText(video.watch_url).then(
      () => toasts.done(common.copied),
      () => toasts.failed(common.copy_failed),
    );
  };
  const groups: MenuGroup[] = [
    {
      items: [
        { text: texts.play, icon: 'play', onChoose: () => props.play(video) },
        { text: channel.rename, icon: 'pen', onChoose: props.onRename },
        { text: channel.copy_link, icon: 'copy', onChoose: copy },
        ...(video.video_url === ''
          ? []
          : [{ text: texts.download, icon: 'download', onChoose: () => download(video) } as const]),
      ],
    },
    {
      items: [
        { text: texts.remove, icon: 'trash', isDanger: true, onChoose: () => props.remove(video) },
      ],
    },
  ];
  return (
    <Menu label={filled(texts.menu, { name: video.name })} groups={groups} isQuiet>
      <ConsoleIcon name="more" />
    </Menu>
  );
}

/** Under the name of the video, without what a file system does not take. */
function download({ name, video_url }: ManagedVideo): void {
  const link = document.createElement('a');
  link.href = video_url;
  link.download = `${name.replace(/[\\/:*?"<>|]+/g, '-')}.mp4`;
  link.click();
}

export function VideoTableLoading() {
  const { videos: texts } = useTexts();
  const columns: Column<number>[] = [
    { key: 'state', title: texts.column_state, cell: () => <Skeleton width={9} /> },
    {
      key: 'length',
      title: texts.column_length,
      isNumber: true,
      cell: () => <Skeleton width={5} />,
    },
    { key: 'size', title: texts.column_size, isNumber: true, cell: () => <Skeleton width={5} /> },
    { key: 'when', title: texts.column_when, cell: () => <Skeleton width={12} /> },
  ];
  return <CardsTableLoading label={texts.title} nameTitle={texts.column_name} columns={columns} />;
}
