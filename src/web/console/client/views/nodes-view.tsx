// The nodes: what ails, and each with what it has.
import { filled } from '../../../pages/client/page-elements.ts';
import { useTexts, useTimes } from '../console-parts.ts';
import { paths } from '../console-place.ts';
import { isBehind, nodeProblems } from '../node-problems.ts';
import { AnswerList } from '../parts/answer-list.tsx';
import { CardsTable, type Column } from '../parts/cards-table.tsx';
import { ConsoleIcon } from '../parts/console-icon.tsx';
import { EmptyState } from '../parts/empty-state.tsx';
import { When } from '../parts/when.tsx';
import type { ListedNode, NodeList } from '../service-answers.ts';
import { useAnswer } from '../use-answer.ts';
import { useNow } from '../use-now.ts';

export const nodesPath = '/manage/v1/nodes';

const lookEveryMs = 5_000;

export function NodesView() {
  const { nodes: texts } = useTexts();
  const answered = useAnswer<NodeList>(nodesPath, { everyMs: lookEveryMs });
  return (
    <>
      <p class="soft">{texts.more}</p>
      <AnswerList answered={answered} isEmpty={() => false} empty={null}>
        {({ nodes }) => (
          <>
            <ProblemLines nodes={nodes} />
            <NodeTable nodes={nodes} />
            {nodes.length === 1 && (
              <EmptyState
                icon="desktop"
                title={texts.alone}
                action={
                  <a class="press usual" href="/docs/several-nodes">
                    {texts.guide}
                  </a>
                }
              >
                {texts.alone_more}
              </EmptyState>
            )}
          </>
        )}
      </AnswerList>
    </>
  );
}

function ProblemLines({ nodes }: { nodes: ListedNode[] }) {
  const { nodes: texts } = useTexts();
  const times = useTimes();
  const now = useNow(30_000);
  const whenOf = (text: string) => {
    const at = times.instant(text);
    return at === undefined ? text : times.short(at, now);
  };
  return (
    <div class="advice" role="status">
      {nodeProblems(nodes).map(({ code, node }) => (
        <p key={`${code} ${node.name}`} class="advice-line">
          <ConsoleIcon name="warning" />
          <span>
            {filled(texts.problems[code], {
              name: node.name,
              when: whenOf(node.seen_at),
              count: times.count(node.spool?.waiting ?? 0),
            })}
          </span>
        </p>
      ))}
    </div>
  );
}

function NodeTable({ nodes }: { nodes: ListedNode[] }) {
  const { account, nodes: texts } = useTexts();
  const times = useTimes();
  const columns: Column<ListedNode>[] = [
    {
      key: 'name',
      title: texts.column_node,
      isHead: true,
      cell: ({ name, version, answers }) => (
        <span class="name-lines">
          <strong dir="auto" class="break-words">
            {name}
          </strong>
          <span class="soft small-text">
            {[filled(texts.version, { version }), ...(answers ? [texts.answers] : [])].join(' · ')}
          </span>
        </span>
      ),
    },
    {
      key: 'state',
      title: texts.column_state,
      cell: ({ state, seen_at }) => (
        <span class="node-state">
          <span class="pill" data-node={state}>
            <span class="dot" />
            {texts.states[state]}
          </span>
          {state === 'silent' && (
            <span class="soft small-text">
              <When text={seen_at} isRelative />
            </span>
          )}
        </span>
      ),
    },
    {
      key: 'pushes',
      title: texts.column_pushes,
      cell: ({ pushes, channels }) => <OnAir pushes={pushes} channels={channels} />,
    },
    {
      key: 'viewers',
      title: texts.column_viewers,
      isNumber: true,
      cell: ({ viewers }) => (viewers === null ? null : times.count(viewers)),
    },
    {
      key: 'link',
      title: texts.column_link,
      cell: ({ answers, linked, round_trip_ms, state }) => {
        if (answers) return <span class="soft">{texts.own}</span>;
        if (linked === null || state === 'silent') return null;
        if (!linked) return <span class="node-bad">{texts.no_link}</span>;
        if (round_trip_ms === null) return null;
        return filled(texts.milliseconds, { ms: times.count(round_trip_ms, 1) });
      },
    },
    {
      key: 'recordings',
      title: texts.column_recordings,
      cell: (node) =>
        node.recordings === null || node.state === 'silent' ? null : <Recordings node={node} />,
    },
    {
      key: 'since',
      title: texts.column_since,
      cell: ({ started_at }) => <When text={started_at} />,
    },
  ];
  return (
    <div class="nodes">
      <CardsTable
        label={account.sections.nodes}
        columns={columns}
        rows={nodes}
        keyOf={({ name }) => name}
      />
    </div>
  );
}

/** Names that a cell has room for. */
const namesShown = 3;

function OnAir({ pushes, channels }: Pick<ListedNode, 'pushes' | 'channels'>) {
  const { nodes: texts } = useTexts();
  const times = useTimes();
  const named = channels.slice(0, namesShown);
  const others = channels.length - named.length;
  return (
    <span class="name-lines on-air-names">
      <span>{times.count(pushes)}</span>
      {named.map(({ id, name }) => (
        <a key={id} class="small-text break-words" href={paths.channel(id)} dir="auto">
          {name}
        </a>
      ))}
      {others > 0 && (
        <span class="soft small-text">
          {filled(texts.more_channels, { count: times.count(others) })}
        </span>
      )}
    </span>
  );
}

function Recordings({ node }: { node: ListedNode }) {
  const { nodes: texts } = useTexts();
  const times = useTimes();
  const { recordings, spool } = node;
  if (recordings === 'disk') return <>{texts.on_disk}</>;
  if (!spool) return <span class="soft">{texts.stored}</span>;
  const count = times.count(spool.waiting);
  if (spool.away || isBehind(node))
    return <span class="node-bad">{filled(texts.waiting, { count })}</span>;
  return <>{spool.waiting === 0 ? texts.stored : filled(texts.on_their_way, { count })}</>;
}
