// Which days the visits are of: some up to today, all, or from a day to a day.
import { useState } from 'preact/hooks';
import {
  type AudiencePeriod,
  type DayPeriod,
  dayPeriods,
  wholePeriod,
} from '../audience-period.ts';
import { useConsole, useTexts } from '../console-parts.ts';
import { Button } from './button.tsx';
import { Form } from './form.tsx';
import { TextField } from './text-field.tsx';

interface PeriodProps {
  /** Undefined where the list is of no period. */
  period: AudiencePeriod | undefined;
  hrefOf(period: AudiencePeriod): string;
}

export function PeriodLinks({ period, hrefOf }: PeriodProps) {
  const { audience: texts } = useTexts();
  const days = (Object.keys(dayPeriods) as DayPeriod[]).map((kind) => ({ kind }));
  const between = { kind: 'between', from: '', to: '' } as const;
  const choices: AudiencePeriod[] = [...days, wholePeriod, between];
  return (
    <>
      <nav class="period" aria-label={texts.period}>
        <span class="soft small-text" aria-hidden="true">
          {texts.period}
        </span>
        {choices.map((one) => (
          <a
            key={one.kind}
            class="press usual small"
            href={hrefOf(one)}
            aria-current={one.kind === period?.kind ? 'true' : undefined}
            data-stays
          >
            {texts.periods[one.kind]}
          </a>
        ))}
      </nav>
      {period?.kind === 'between' && (
        <BetweenForm key={hrefOf(period)} period={period} hrefOf={hrefOf} />
      )}
    </>
  );
}

function BetweenForm(props: {
  period: Extract<AudiencePeriod, { kind: 'between' }>;
  hrefOf(period: AudiencePeriod): string;
}) {
  const { router } = useConsole();
  const { audience: texts } = useTexts();
  const [from, start] = useState(props.period.from);
  const [to, end] = useState(props.period.to);
  const isWrong = from !== '' && to !== '' && from > to;
  const show = () => {
    if (!isWrong) router.go(props.hrefOf({ kind: 'between', from, to }));
  };
  return (
    <Form onSubmit={show}>
      <div class="between">
        <TextField
          label={texts.period_from}
          type="date"
          value={from}
          onInput={start}
          error={isWrong ? texts.period_wrong : undefined}
        />
        <TextField label={texts.period_to} type="date" value={to} onInput={end} />
        <Button type="submit" isOff={isWrong}>
          {texts.period_show}
        </Button>
      </div>
    </Form>
  );
}
