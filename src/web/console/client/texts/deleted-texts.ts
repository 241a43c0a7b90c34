// The sentences of deleted channels and videos.
import type { InEveryLanguage } from './in-every-language.ts';

const en = {
  deleted: {
    more: 'Nobody else sees what was deleted. It still takes its place on the disk, and goes for good when its time is over.',
    column_deleted: 'Deleted',
    column_until: 'Can be restored until',
    column_restore: 'Restore',
    restore: 'Restore',
    restore_one: 'Restore “{name}”',
    restored: '“{name}” is back',
    empty: 'Nothing is deleted',
    empty_more: 'What you delete is listed here for some days, so that you can restore it.',
    with_videos: 'Videos: {count}',
    of_channel: 'of “{name}”',
  },
};

export const deletedTexts: InEveryLanguage<typeof en> = {
  en,
  zh: {
    deleted: {
      more: '已删除的内容其他人无法看到，但仍占用磁盘空间；到期后将永久删除。',
      column_deleted: '删除时间',
      column_until: '可恢复至',
      column_restore: '恢复操作',
      restore: '恢复',
      restore_one: '恢复“{name}”',
      restored: '“{name}”已恢复',
      empty: '没有已删除的内容',
      empty_more: '删除的内容会在这里保留几天，期间可以恢复。',
      with_videos: '视频：{count}',
      of_channel: '属于“{name}”',
    },
  },
};
