// Says that the service cannot be reached, for as long as it is so.
import { useConsole, useTexts } from '../console-parts.ts';
import { Button } from './button.tsx';
import { ConsoleIcon } from './console-icon.tsx';

export function NetworkBanner() {
  const { network } = useConsole();
  const { network: texts } = useTexts();
  return (
    <div role="status">
      {network.isAway.value && (
        <div class="network-banner">
          <ConsoleIcon name="warning" />
          <span>{texts.away}</span>
          <Button isSmall onClick={network.tryNow}>
            {texts.try_now}
          </Button>
        </div>
      )}
    </div>
  );
}
