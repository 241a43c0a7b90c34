// The account: its people, managers and tokens, what it takes, and one's own part of it.
import { useConsole, useTexts } from '../console-parts.ts';
import { accountSections, type Place, paths } from '../console-place.ts';
import { EmptyState } from '../parts/empty-state.tsx';
import { TabLinks } from '../parts/tab-links.tsx';
import { ViewHead } from '../parts/view-head.tsx';
import { mayManage, type NodeList } from '../service-answers.ts';
import { useAnswer } from '../use-answer.ts';
import { AuditView } from './audit-view.tsx';
import { ManagersView } from './managers-view.tsx';
import { MeView } from './me-view.tsx';
import { NodesView, nodesPath } from './nodes-view.tsx';
import { PeopleView } from './people-view.tsx';
import { StorageView } from './storage-view.tsx';
import { TokensView } from './tokens-view.tsx';
import { WebhooksView } from './webhooks-view.tsx';

type AccountPlace = Extract<Place, { view: 'account' }>;

export function AccountView({ place }: { place: AccountPlace }) {
  const { session } = useConsole();
  const { account: texts } = useTexts();
  const me = session.me.value;
  const isOwner = me ? mayManage(me) : false;
  const { section } = place;
  // A service that is alone, and is meant to be, has no part for them.
  const hasNodes = useAnswer<NodeList>(isOwner ? nodesPath : undefined).value?.several;
  const sections = accountSections.filter(
    (one) => one === 'me' || (isOwner && (one !== 'nodes' || hasNodes || section === 'nodes')),
  );
  return (
    <>
      <ViewHead title={`${texts.title} · ${texts.sections[section]}`} />
      <TabLinks
        label={texts.sections_name}
        tabs={sections.map((one) => ({
          href: paths.account(one),
          text: texts.sections[one],
          isHere: one === section,
        }))}
      />
      {sections.includes(section) ? (
        <Section place={place} />
      ) : (
        <EmptyState icon="key" title={texts.not_yours}>
          {texts.not_yours_more}
        </EmptyState>
      )}
    </>
  );
}

function Section({ place }: { place: AccountPlace }) {
  switch (place.section) {
    case 'people':
      return <PeopleView />;
    case 'managers':
      return <ManagersView />;
    case 'tokens':
      return <TokensView />;
    case 'webhooks':
      return <WebhooksView />;
    case 'storage':
      return <StorageView place={place} />;
    case 'audit':
      return <AuditView query={place.query ?? ''} />;
    case 'nodes':
      return <NodesView />;
    case 'me':
      return <MeView />;
  }
}
