// The fields of a viewing page, in the order in which a person thinks of them.
import type { ComponentChildren } from 'preact';
import { filled } from '../../../pages/client/page-elements.ts';
import { useTexts, useTimes } from '../console-parts.ts';
import { fieldProblem, type Sentence } from '../problem-text.ts';
import type { PageSettings, ShownPage } from '../service-answers.ts';
import type { PageEditor } from '../use-page-editor.ts';
import { ColourField } from './colour-field.tsx';
import { PictureField, type PictureSize } from './picture-field.tsx';
import { Segments } from './segments.tsx';
import { Skeleton } from './skeleton.tsx';
import { Field, TextField } from './text-field.tsx';

interface FormProps {
  channelId: number;
  editor: PageEditor;
  saved: ShownPage;
}

/** Every setting has its control: a new field of the page does not compile until it has one, too. */
type Controls = { [K in keyof PageSettings]: ComponentChildren };

export function PageForm(props: FormProps) {
  const { page: texts } = useTexts();
  const controls = useControls(props);
  return (
    <div class="form">
      <Group title={texts.group_show}>{controls.start_time}</Group>
      <Group title={texts.group_look}>
        {controls.theme}
        {controls.bg_color}
      </Group>
      <Group title={texts.group_pictures} hint={texts.address_hint}>
        {controls.pc_logo}
        {controls.mobile_logo}
        {controls.banner}
        {controls.cover_image}
        {controls.live_img}
      </Group>
      <Group title={texts.group_more}>
        {controls.footer}
        {controls.show_qrcode}
        {controls.public}
      </Group>
    </div>
  );
}

function Group(props: { title: string; hint?: string; children: ComponentChildren }) {
  const { title, hint, children } = props;
  return (
    <fieldset class="group card">
      <legend>
        <h2>{title}</h2>
      </legend>
      {hint && <p class="soft small-text">{hint}</p>}
      {children}
    </fieldset>
  );
}

function useControls({ channelId, editor, saved }: FormProps): Controls {
  const all = useTexts();
  const { page: texts } = all;
  const { changes, change, problem } = editor;
  const values: PageSettings = { ...saved, ...changes };
  const wrong = (name: keyof PageSettings) => fieldProblem(problem, name, all);
  const picture = (name: PictureName) => (
    <PictureField
      channelId={channelId}
      label={texts.pictures[name]}
      wanted={wantedSizes[name]}
      value={values[name]}
      onChange={(value) => change(name, value)}
      error={wrong(name)}
    />
  );
  return {
    start_time: (
      <StartField
        value={values.start_time}
        onChange={(value) => change('start_time', value)}
        error={wrong('start_time')}
      />
    ),
    theme: (
      <Segments
        label={texts.theme}
        hasLabel
        value={values.theme}
        choices={[
          { value: 'default', text: texts.theme_default },
          { value: 'tech', text: texts.theme_tech },
        ]}
        onChoose={(value) => change('theme', value)}
      />
    ),
    bg_color: (
      <ColourField
        value={values.bg_color}
        onChange={(value) => change('bg_color', value)}
        error={wrong('bg_color')}
      />
    ),
    pc_logo: picture('pc_logo'),
    mobile_logo: picture('mobile_logo'),
    banner: picture('banner'),
    cover_image: picture('cover_image'),
    live_img: picture('live_img'),
    footer: (
      <Field label={texts.footer} hint={texts.footer_hint} error={wrong('footer')}>
        {(joined) => (
          <textarea
            {...joined}
            class="control"
            rows={3}
            value={values.footer}
            onInput={(event) => change('footer', event.currentTarget.value)}
          />
        )}
      </Field>
    ),
    show_qrcode: (
      <label class="check">
        <input
          type="checkbox"
          checked={values.show_qrcode}
          onChange={(event) => change('show_qrcode', event.currentTarget.checked)}
        />
        <span>{texts.show_qrcode}</span>
      </label>
    ),
    public: (
      <label class="check">
        <input
          type="checkbox"
          checked={values.public}
          onChange={(event) => change('public', event.currentTarget.checked)}
        />
        <span>{texts.public}</span>
      </label>
    ),
  };
}

type PictureName = 'pc_logo' | 'mobile_logo' | 'banner' | 'cover_image' | 'live_img';

/** As large as the page shows it at most, on a screen of two pixels for one. */
const wantedSizes: Record<PictureName, PictureSize> = {
  pc_logo: { width: 480, height: 160 },
  mobile_logo: { width: 240, height: 80 },
  banner: { width: 1_920, height: 240 },
  cover_image: { width: 600, height: 600 },
  live_img: { width: 1_280, height: 720 },
};

/** In the person's zone; the service's stands below it. */
function StartField(props: {
  value: string;
  onChange(value: string): void;
  error: Sentence | undefined;
}) {
  const { page: texts } = useTexts();
  const times = useTimes();
  const at = times.instant(props.value);
  const there = at === undefined ? undefined : times.inServiceZone(at);
  return (
    <TextField
      label={texts.start_time}
      type="datetime-local"
      hint={there ? filled(texts.start_time_zone, { time: there }) : texts.start_time_hint}
      value={at === undefined ? '' : times.toField(at)}
      onInput={(typed) => {
        const chosen = times.fromField(typed);
        // A date that is being typed is no date for a while.
        if (chosen !== undefined) props.onChange(times.text(chosen));
        else if (typed === '') props.onChange('');
      }}
      error={props.error}
    />
  );
}

export function PageFormLoading() {
  const { page: texts } = useTexts();
  const groups = { [texts.group_show]: 1, [texts.group_look]: 2, [texts.group_pictures]: 5 };
  return (
    <div class="form" aria-hidden="true">
      {Object.entries(groups).map(([title, fields]) => (
        <div key={title} class="group card">
          <h2>{title}</h2>
          {Array.from({ length: fields }, (_, at) => (
            <div class="field" key={at}>
              <Skeleton width={12} />
              <span class="control skeleton-control" />
              <Skeleton width={24} />
            </div>
          ))}
        </div>
      ))}
    </div>
  );
}
