// The sentences of a video's captions.
import type { InEveryLanguage } from './in-every-language.ts';

const en = {
  captions: {
    title: 'Captions',
    none: 'Viewers have no captions to choose from yet.',
    drop: 'A .vtt or .srt file in UTF-8. You can also drop it here.',
    choose: 'Add a file',
    cues: '{count} cues',
    one_cue: '1 cue',
    file: 'Captions of the file {name}',
    language: 'Language',
    language_hint: 'A tag such as en, fr or zh-Hant',
    label: 'What viewers see',
    add: 'Add captions',
    added: 'Captions added: {label}',
    replace: 'Replace',
    replaced: 'Captions replaced: {label}',
    download: 'Download',
    remove: 'Remove',
    removed: 'Captions removed: {label}',
    of: '{action}: {label}',
    too_large: 'The file has {size}. Captions may have {most}.',
  },
};

export const captionsTexts: InEveryLanguage<typeof en> = {
  en,
  zh: {
    captions: {
      title: '字幕',
      none: '此视频还没有字幕。',
      drop: '支持 UTF-8 编码的 .vtt 或 .srt 文件，也可拖放到此处。',
      choose: '添加文件',
      cues: '{count} 条',
      one_cue: '1 条',
      file: '文件 {name} 的字幕',
      language: '语言',
      language_hint: '语言代码，如 zh-Hans、en 或 ja',
      label: '观众看到的名称',
      add: '添加字幕',
      added: '已添加字幕：{label}',
      replace: '替换',
      replaced: '已替换字幕：{label}',
      download: '下载',
      remove: '移除',
      removed: '已移除字幕：{label}',
      of: '{action}：{label}',
      too_large: '文件大小为 {size}，字幕最大 {most}。',
    },
  },
};
