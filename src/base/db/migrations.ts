// The append-only list of changes to the tables; a change that has landed is never edited.
import { batchStatement } from './batch.ts';
import type { dialectWords } from './dialect.ts';
import type { Dialect, Sql } from './sql.ts';
import { folded } from './title-search.ts';

export interface Migration {
  name: string;
  /**
   * Whether programs of the version before can work on beside it, as in a rolling restart: it adds what they do not ask
   * for, and takes nothing that they do. What they would miss goes in a step of the version after, when nobody asks any
   * more. Steps from before this was noted say nothing, and count as no.
   */
  expands?: boolean;
  /** Statements, run in order in one transaction. */
  statements(words: ReturnType<typeof dialectWords>, dialect: Dialect): string[];
  /** Fills in, in the same transaction, what SQL alone cannot say the same way on both engines. */
  fill?(sql: Sql): Promise<void>;
}

/** Instants are epoch milliseconds; flags are 0 and 1; `page` is the set fields of the channel page as JSON. */
export const migrations: readonly Migration[] = [
  {
    name: 'accounts, managers and tokens',
    statements: ({ id, int, table, clustered }) => [
      `CREATE TABLE marks (name TEXT PRIMARY KEY, value ${int} NOT NULL) ${table}`,
      `CREATE TABLE accounts (
        id ${id},
        name TEXT NOT NULL,
        plan TEXT NOT NULL CHECK (plan IN ('traffic', 'standard')),
        auto_save_live_video ${int} NOT NULL,
        viewer_secret TEXT NOT NULL,
        created_at ${int} NOT NULL
      ) ${table}`,
      `CREATE TABLE managers (
        id ${id},
        account_id ${int} NOT NULL REFERENCES accounts (id),
        username TEXT NOT NULL,
        created_at ${int} NOT NULL,
        UNIQUE (account_id, username)
      ) ${table}`,
      `CREATE TABLE tokens (
        id ${id},
        account_id ${int} NOT NULL REFERENCES accounts (id),
        manager_id ${int} NOT NULL,
        name TEXT NOT NULL,
        hash TEXT NOT NULL UNIQUE,
        scopes TEXT NOT NULL,
        created_at ${int} NOT NULL,
        expires_at ${int},
        revoked_at ${int}
      ) ${table}`,
      `CREATE TABLE daily_calls (
        account_id ${int} NOT NULL,
        day TEXT NOT NULL,
        calls ${int} NOT NULL,
        PRIMARY KEY (account_id, day)
      ) ${clustered}`,
    ],
  },
  {
    name: 'channels and videos',
    statements: ({ id, int, table, clustered }, dialect) => [
      `CREATE TABLE channels (
        id ${id},
        account_id ${int} NOT NULL REFERENCES accounts (id),
        manager_id ${int} NOT NULL,
        name TEXT NOT NULL,
        page TEXT NOT NULL,
        stream_key TEXT NOT NULL UNIQUE,
        play_id TEXT NOT NULL UNIQUE,
        live ${int} NOT NULL DEFAULT 0,
        last_push_stream_at ${int},
        created_at ${int} NOT NULL
      ) ${table}`,
      'CREATE INDEX channels_by_account ON channels (account_id, id)',
      'CREATE INDEX channels_by_manager ON channels (account_id, manager_id, id)',
      'CREATE INDEX channels_live ON channels (account_id, id) WHERE live = 1',
      `CREATE TABLE videos (
        id ${id},
        account_id ${int} NOT NULL REFERENCES accounts (id),
        channel_id ${int} NOT NULL,
        manager_id ${int} NOT NULL,
        name TEXT NOT NULL,
        folded_name TEXT NOT NULL,
        video_url TEXT NOT NULL,
        video_size ${int} NOT NULL,
        m3u8 TEXT NOT NULL,
        m3u8_480 TEXT NOT NULL,
        m3u8_720 TEXT NOT NULL,
        m3u8_1080 TEXT NOT NULL,
        duration ${int} NOT NULL,
        width ${int} NOT NULL,
        height ${int} NOT NULL,
        cover_url TEXT NOT NULL,
        upload_time ${int},
        start_time ${int},
        end_time ${int},
        external_id TEXT
      ) ${table}`,
      'CREATE INDEX videos_by_account ON videos (account_id, id)',
      'CREATE INDEX videos_by_manager ON videos (account_id, manager_id, id)',
      'CREATE INDEX videos_by_channel ON videos (account_id, channel_id, id)',
      'CREATE UNIQUE INDEX videos_external ON videos (account_id, external_id) WHERE external_id IS NOT NULL',
      ...titleIndex[dialect],
      // Kept totals: `part` is what is counted by ('account', 'manager' or 'channel'), `part_id` which one.
      `CREATE TABLE totals (
        account_id ${int} NOT NULL,
        kind TEXT NOT NULL,
        part TEXT NOT NULL,
        part_id ${int} NOT NULL,
        total ${int} NOT NULL,
        PRIMARY KEY (account_id, kind, part, part_id)
      ) ${clustered}`,
      `CREATE TABLE idempotency_keys (
        account_id ${int} NOT NULL,
        manager_id ${int} NOT NULL,
        key TEXT NOT NULL,
        request_hash TEXT NOT NULL,
        channel_id ${int} NOT NULL,
        created_at ${int} NOT NULL,
        PRIMARY KEY (account_id, manager_id, key)
      ) ${clustered}`,
      'CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at)',
    ],
  },
  {
    // Keyed by channel first, so that they can be distributed by channel. No index names a column that a beat changes.
    name: 'audience',
    statements: ({ int, table, clustered }) => [
      `CREATE TABLE channel_audience (
        channel_id ${int} PRIMARY KEY,
        next_session_seq ${int} NOT NULL,
        next_visitor_seq ${int} NOT NULL,
        last_entry_at ${int} NOT NULL,
        -- rises when an import of older entries numbers the rows anew
        numbering ${int} NOT NULL
      ) ${table}`,
      `CREATE TABLE sessions (
        channel_id ${int} NOT NULL,
        seq ${int} NOT NULL,
        record_id ${int} NOT NULL,
        viewer_id TEXT NOT NULL,
        nick TEXT NOT NULL,
        addr TEXT NOT NULL,
        phone TEXT NOT NULL,
        device TEXT NOT NULL,
        browser TEXT NOT NULL,
        origin TEXT NOT NULL,
        ip TEXT NOT NULL,
        entered_at ${int} NOT NULL,
        last_seen_at ${int} NOT NULL,
        online_ms ${int} NOT NULL,
        watch_ms ${int} NOT NULL,
        credited_until ${int} NOT NULL,
        external_id TEXT,
        PRIMARY KEY (channel_id, seq)
      ) ${clustered}`,
      'CREATE INDEX sessions_by_entry ON sessions (channel_id, entered_at, seq)',
      'CREATE INDEX sessions_by_viewer ON sessions (channel_id, viewer_id, seq)',
      'CREATE UNIQUE INDEX sessions_external ON sessions (channel_id, external_id) WHERE external_id IS NOT NULL',
      `CREATE TABLE visitors (
        channel_id ${int} NOT NULL,
        seq ${int} NOT NULL,
        viewer_id TEXT NOT NULL,
        nick TEXT NOT NULL,
        addr TEXT NOT NULL,
        phone TEXT NOT NULL,
        device TEXT NOT NULL,
        browser TEXT NOT NULL,
        referer TEXT NOT NULL,
        last_ip TEXT NOT NULL,
        first_entered_at ${int} NOT NULL,
        last_seen_at ${int} NOT NULL,
        watch_ms ${int} NOT NULL,
        credited_until ${int} NOT NULL,
        visit_times ${int} NOT NULL,
        share_times ${int} NOT NULL,
        comment_count ${int} NOT NULL,
        PRIMARY KEY (channel_id, seq)
      ) ${clustered}`,
      'CREATE UNIQUE INDEX visitors_by_viewer ON visitors (channel_id, viewer_id)',
      `CREATE TABLE audience_block (
        channel_id ${int} NOT NULL,
        kind TEXT NOT NULL,
        level ${int} NOT NULL,
        block ${int} NOT NULL,
        rows ${int} NOT NULL,
        matching ${int} NOT NULL,
        PRIMARY KEY (channel_id, kind, level, block)
      ) ${clustered}`,
    ],
  },
  {
    name: 'record ids',
    statements: (_, dialect) => (dialect === 'postgres' ? ['CREATE SEQUENCE record_ids'] : []),
  },
  {
    // A live channel is somebody's: the node that has its push says so again and again, and what it no longer
    // says stops being true. A recording's folder is named in its video; jobs make the rest of the video's files.
    name: 'live, recordings and jobs',
    statements: ({ id, int, table }) => [
      'ALTER TABLE channels ADD COLUMN live_node TEXT',
      `ALTER TABLE channels ADD COLUMN live_seen_at ${int}`,
      'ALTER TABLE videos ADD COLUMN recording TEXT',
      // whose disk it lies on
      'ALTER TABLE videos ADD COLUMN recording_node TEXT',
      'CREATE INDEX videos_by_age ON videos (recording_node, upload_time) WHERE recording_node IS NOT NULL',
      'CREATE UNIQUE INDEX videos_recording ON videos (recording) WHERE recording IS NOT NULL',
      `CREATE TABLE jobs (
        id ${id},
        kind TEXT NOT NULL,
        video_id ${int} NOT NULL,
        state TEXT NOT NULL CHECK (state IN ('waiting', 'running', 'done', 'failed')),
        tries ${int} NOT NULL,
        run_at ${int} NOT NULL,
        -- whose disk the recording lies on
        node TEXT NOT NULL,
        leased_by TEXT,
        lease_until ${int},
        problem TEXT NOT NULL,
        created_at ${int} NOT NULL,
        changed_at ${int} NOT NULL,
        UNIQUE (video_id, kind)
      ) ${table}`,
      "CREATE INDEX jobs_to_do ON jobs (node, run_at) WHERE state IN ('waiting', 'running')",
    ],
  },
  {
    name: 'secrets and chat',
    statements: ({ int, table, clustered }) => [
      // what the service signs with: viewers' cookies, tickets
      `CREATE TABLE secrets (name TEXT PRIMARY KEY, value TEXT NOT NULL) ${table}`,
      `ALTER TABLE channels ADD COLUMN chat ${int} NOT NULL DEFAULT 1`,
      `ALTER TABLE channel_audience ADD COLUMN next_message_id ${int} NOT NULL DEFAULT 1`,
      `CREATE TABLE chat_messages (
        channel_id ${int} NOT NULL,
        id ${int} NOT NULL,
        viewer_id TEXT NOT NULL,
        nick TEXT NOT NULL,
        text TEXT NOT NULL,
        sent_at ${int} NOT NULL,
        PRIMARY KEY (channel_id, id)
      ) ${clustered}`,
      'CREATE INDEX chat_messages_by_viewer ON chat_messages (channel_id, viewer_id)',
      // who may not write ('mute') or not even enter ('ban'); until: null for ever
      `CREATE TABLE chat_silences (
        channel_id ${int} NOT NULL,
        viewer_id TEXT NOT NULL,
        kind TEXT NOT NULL CHECK (kind IN ('mute', 'ban')),
        until ${int},
        created_at ${int} NOT NULL,
        PRIMARY KEY (channel_id, viewer_id, kind)
      ) ${clustered}`,
    ],
  },
  {
    name: 'refusals and allowed networks',
    statements: ({ int, table }) => [
      // what each service refused in the last minutes; written by it, read by the command line
      `CREATE TABLE refusals (
        node TEXT NOT NULL,
        kind TEXT NOT NULL,
        reason TEXT NOT NULL,
        sentence TEXT NOT NULL,
        who TEXT NOT NULL,
        count ${int} NOT NULL,
        first_at ${int} NOT NULL,
        last_at ${int} NOT NULL,
        PRIMARY KEY (node, kind, reason, who)
      ) ${table}`,
      `CREATE TABLE allowed_networks (
        network TEXT PRIMARY KEY,
        note TEXT NOT NULL,
        created_at ${int} NOT NULL
      ) ${table}`,
    ],
  },
  {
    // Accounts take turns. The index leads to an account's next job of a kind, however many wait.
    name: 'jobs by account',
    statements: ({ int, clustered }) => [
      `ALTER TABLE jobs ADD COLUMN account_id ${int} NOT NULL DEFAULT 0`,
      `UPDATE jobs SET account_id = COALESCE((SELECT account_id FROM videos WHERE videos.id = jobs.video_id), 0)`,
      // 1 while the MP4 that it would be made of is not settled
      `ALTER TABLE jobs ADD COLUMN awaits_mp4 ${int} NOT NULL DEFAULT 0`,
      `UPDATE jobs SET awaits_mp4 = 1 WHERE kind <> 'mp4' AND EXISTS (
         SELECT 1 FROM jobs mp4 WHERE mp4.video_id = jobs.video_id AND mp4.kind = 'mp4'
         AND mp4.state IN ('waiting', 'running'))`,
      'DROP INDEX jobs_to_do',
      `CREATE INDEX jobs_to_do ON jobs (node, account_id, kind, run_at, id)
       WHERE state IN ('waiting', 'running') AND awaits_mp4 = 0`,
      "CREATE INDEX jobs_running ON jobs (lease_until) WHERE state = 'running'",
      // of a node's accounts, the one with the lowest turn began its last job longest ago
      `CREATE TABLE job_turns (
        node TEXT NOT NULL,
        account_id ${int} NOT NULL,
        turn ${int} NOT NULL,
        PRIMARY KEY (node, account_id)
      ) ${clustered}`,
      'CREATE INDEX job_turns_in_order ON job_turns (node, turn, account_id)',
      'INSERT INTO job_turns (node, account_id, turn) SELECT DISTINCT node, account_id, 0 FROM jobs',
    ],
  },
  {
    // What a title search reads where the title index does not help: names without the rest of their rows.
    name: 'names of an account',
    statements: () => ['CREATE INDEX videos_names ON videos (account_id, id, folded_name)'],
  },
  {
    // A show is known by its channel and its beginning, so that sessions can name it before its row is written.
    name: 'shows, and when sessions watched',
    statements: ({ id, int, table, clustered }) => [
      `CREATE TABLE shows (
        id ${id},
        channel_id ${int} NOT NULL,
        begin_at ${int} NOT NULL,
        -- null while it is on
        end_at ${int},
        media_ms ${int} NOT NULL,
        -- where the media's time and the wall's go on together from, as JSON
        anchors TEXT NOT NULL,
        -- when the first and the last of those entered who watched it: pages wait for it
        first_entry_at ${int} NOT NULL,
        last_entry_at ${int} NOT NULL,
        -- how often what sessions watched of it was changed
        changes ${int} NOT NULL,
        -- sessions that entered before this were removed by retention while it was on
        records_from ${int},
        UNIQUE (channel_id, begin_at)
      ) ${table}`,
      'CREATE INDEX shows_of_channel ON shows (channel_id, id)',
      'CREATE INDEX shows_by_end ON shows (end_at)',
      'CREATE INDEX chat_messages_by_time ON chat_messages (channel_id, sent_at)',
      // when somebody shared the page
      `CREATE TABLE shares (
        channel_id ${int} NOT NULL,
        shared_at ${int} NOT NULL,
        viewer_id TEXT NOT NULL,
        PRIMARY KEY (channel_id, shared_at, viewer_id)
      ) ${clustered}`,
      'CREATE INDEX shares_by_viewer ON shares (channel_id, viewer_id, shared_at)',
      // when those entered who had been there for long when it began
      `CREATE TABLE long_before (
        channel_id ${int} NOT NULL,
        show_at ${int} NOT NULL,
        entered_at ${int} NOT NULL,
        PRIMARY KEY (channel_id, show_at, entered_at)
      ) ${clustered}`,
      // what a show came to, by the changes that it was counted with
      `CREATE TABLE show_figures (
        channel_id ${int} NOT NULL,
        show_at ${int} NOT NULL,
        changes ${int} NOT NULL,
        -- as JSON
        figures TEXT NOT NULL,
        -- its records are removed by retention: it is not counted anew
        frozen ${int} NOT NULL,
        PRIMARY KEY (channel_id, show_at)
      ) ${clustered}`,
      'CREATE INDEX shows_on ON shows (channel_id) WHERE end_at IS NULL',
      // of which show a video is, by its beginning, and where in the show's media it begins
      `ALTER TABLE videos ADD COLUMN show_at ${int}`,
      `ALTER TABLE videos ADD COLUMN show_ms ${int}`,
      'CREATE INDEX videos_of_show ON videos (channel_id, show_at) WHERE show_at IS NOT NULL',
      // null in rows from before, and of imports
      'ALTER TABLE sessions ADD COLUMN spans TEXT',
    ],
  },
  {
    // Of a session and of a link the hash of its secret is kept, never the secret.
    name: 'people who sign in',
    statements: ({ id, int, table }) => [
      `CREATE TABLE persons (
        id ${id},
        account_id ${int} NOT NULL REFERENCES accounts (id),
        -- 0 for the account's own side
        manager_id ${int} NOT NULL,
        user_name TEXT NOT NULL,
        folded_user_name TEXT NOT NULL UNIQUE,
        name TEXT NOT NULL,
        password_hash TEXT NOT NULL,
        made_at ${int} NOT NULL
      ) ${table}`,
      'CREATE INDEX persons_of_account ON persons (account_id, manager_id)',
      `CREATE TABLE console_sessions (
        id ${id},
        person_id ${int} NOT NULL REFERENCES persons (id),
        hash TEXT NOT NULL UNIQUE,
        address TEXT NOT NULL,
        user_agent TEXT NOT NULL,
        made_at ${int} NOT NULL,
        last_used_at ${int} NOT NULL,
        expires_at ${int} NOT NULL
      ) ${table}`,
      'CREATE INDEX console_sessions_of_person ON console_sessions (person_id, last_used_at)',
      `CREATE TABLE console_links (
        id ${id},
        hash TEXT NOT NULL UNIQUE,
        purpose TEXT NOT NULL CHECK (purpose IN ('first', 'invite', 'reset')),
        account_id ${int} NOT NULL REFERENCES accounts (id),
        manager_id ${int} NOT NULL,
        -- whose password it is for; 0 where somebody is to be made
        person_id ${int} NOT NULL,
        name TEXT NOT NULL,
        made_at ${int} NOT NULL,
        expires_at ${int} NOT NULL,
        used_at ${int}
      ) ${table}`,
      'CREATE INDEX console_links_of_account ON console_links (account_id)',
      'CREATE INDEX console_links_of_person ON console_links (person_id)',
    ],
  },
  {
    name: 'lines of hosts, and the one that is pinned',
    statements: ({ int }) => [
      // 1 where the channel's host wrote it; then nobody is its viewer
      `ALTER TABLE chat_messages ADD COLUMN host ${int} NOT NULL DEFAULT 0`,
      // the line may be gone: then none is pinned
      `ALTER TABLE channels ADD COLUMN pinned_message_id ${int}`,
    ],
  },
  {
    // A deleted channel is hidden by its own row alone. Lists pass it and its videos by without a look at their rows:
    // the indexes say what they must know.
    name: 'deleted channels',
    statements: ({ int }) => [
      `ALTER TABLE channels ADD COLUMN deleted_at ${int}`,
      // from then on it cannot be brought back, and what there is of it is removed
      `ALTER TABLE channels ADD COLUMN gone_at ${int}`,
      'CREATE INDEX channels_deleted ON channels (account_id, deleted_at, id) WHERE deleted_at IS NOT NULL',
      'CREATE INDEX channels_by_deletion ON channels (deleted_at, id) WHERE deleted_at IS NOT NULL',
      'DROP INDEX channels_by_account',
      'CREATE INDEX channels_by_account ON channels (account_id, id, deleted_at)',
      'DROP INDEX channels_by_manager',
      'CREATE INDEX channels_by_manager ON channels (account_id, manager_id, id, deleted_at)',
      'DROP INDEX videos_by_account',
      'CREATE INDEX videos_by_account ON videos (account_id, id, channel_id)',
      'DROP INDEX videos_by_manager',
      'CREATE INDEX videos_by_manager ON videos (account_id, manager_id, id, channel_id)',
      'DROP INDEX videos_names',
      'CREATE INDEX videos_names ON videos (account_id, id, channel_id, folded_name)',
    ],
  },
  {
    // A list of channels by what they are about, and by part of their names.
    name: 'states and names of channels',
    statements: ({ int }, dialect) => [
      // read out of the page, which alone is written
      `ALTER TABLE channels ADD COLUMN start_time ${int} GENERATED ALWAYS AS (${startTime[dialect]}`,
      `CREATE INDEX channels_by_state
       ON channels (account_id, live, start_time, last_push_stream_at, manager_id, id, deleted_at)`,
      `CREATE INDEX channels_latest
       ON channels (account_id, COALESCE(last_push_stream_at, start_time), id, deleted_at) WHERE live = 0`,
      "ALTER TABLE channels ADD COLUMN folded_name TEXT NOT NULL DEFAULT ''",
      'CREATE INDEX channels_names ON channels (account_id, id, folded_name)',
      ...channelNames[dialect],
    ],
    fill: async (sql) => {
      for (let last = 0; ; ) {
        const rows = await sql.all<{ id: number; name: string }>(
          'SELECT id, name FROM channels WHERE id > $1 ORDER BY id LIMIT 1000',
          [last],
        );
        if (rows.length === 0) return;
        last = rows.at(-1)?.id ?? 0;
        const names = rows.map(({ id, name }) => ({ id, folded_name: folded(name) }));
        await foldName.run(sql, names);
      }
    },
  },
  {
    name: 'pictures of channels’ pages',
    statements: ({ int, bytes, table }) => [
      // The bytes are last: whoever reads the others does not pass them.
      `CREATE TABLE images (
        -- random: it is in the address
        id TEXT PRIMARY KEY,
        account_id ${int} NOT NULL,
        channel_id ${int} NOT NULL,
        type TEXT NOT NULL,
        width ${int} NOT NULL,
        height ${int} NOT NULL,
        made_at ${int} NOT NULL,
        -- since when no saved page is known to name it; null while one does
        unnamed_at ${int},
        bytes ${bytes} NOT NULL
      ) ${table}`,
      'CREATE INDEX images_of_channel ON images (channel_id, made_at, id)',
    ],
  },
  {
    // The front page shows these, whosever they are; few channels are, and no other index leads to them.
    name: 'public channels',
    statements: ({ int }, dialect) => [
      // read out of the page, which alone is written
      `ALTER TABLE channels ADD COLUMN public ${int} GENERATED ALWAYS AS (${isPublic[dialect]}`,
      'CREATE INDEX channels_public_live ON channels (id) WHERE public = 1 AND live = 1',
      'CREATE INDEX channels_public_starts ON channels (start_time, id) WHERE public = 1 AND live = 0',
      `CREATE INDEX channels_public_latest
       ON channels (COALESCE(last_push_stream_at, start_time), id) WHERE public = 1 AND live = 0`,
    ],
  },
  {
    // What an account is shown of itself: its tokens, its jobs, and what its recordings take without a look at them.
    name: 'tokens, jobs and sizes of an account',
    statements: ({ int }) => [
      `ALTER TABLE tokens ADD COLUMN last_used_at ${int}`,
      'CREATE INDEX tokens_of_account ON tokens (account_id, id) WHERE revoked_at IS NULL',
      'CREATE INDEX jobs_of_account ON jobs (account_id, state, id)',
      // with what it is about, or SQLite would look at the rows
      `CREATE INDEX videos_sizes ON videos (account_id, channel_id, video_size, recording_node)
       WHERE recording_node IS NOT NULL`,
    ],
  },
  {
    name: 'sizes of files',
    statements: ({ int }) => [`ALTER TABLE jobs ADD COLUMN size ${int}`],
  },
  {
    // As a deleted channel: hidden by its own row, and lists pass it by in their indexes.
    name: 'deleted videos',
    statements: ({ int }) => [
      `ALTER TABLE videos ADD COLUMN deleted_at ${int}`,
      // from then on it cannot be brought back, and its files are removed
      `ALTER TABLE videos ADD COLUMN gone_at ${int}`,
      'CREATE INDEX videos_deleted ON videos (account_id, deleted_at, id) WHERE deleted_at IS NOT NULL',
      'CREATE INDEX videos_by_deletion ON videos (deleted_at, id) WHERE deleted_at IS NOT NULL',
      'DROP INDEX videos_by_account',
      'CREATE INDEX videos_by_account ON videos (account_id, id, channel_id, deleted_at)',
      'DROP INDEX videos_by_manager',
      'CREATE INDEX videos_by_manager ON videos (account_id, manager_id, id, channel_id, deleted_at)',
      'DROP INDEX videos_by_channel',
      'CREATE INDEX videos_by_channel ON videos (account_id, channel_id, id, deleted_at)',
      'DROP INDEX videos_names',
      'CREATE INDEX videos_names ON videos (account_id, id, channel_id, deleted_at, folded_name)',
    ],
  },
  {
    // A file that comes over HTTP lies on the disk of one node, and its length there is how much has come.
    name: 'uploads',
    statements: ({ int, table }) => [
      `CREATE TABLE uploads (
        -- random: it is in the address
        id TEXT PRIMARY KEY,
        account_id ${int} NOT NULL,
        channel_id ${int} NOT NULL,
        -- whose disk it lies on
        node TEXT NOT NULL,
        -- of the folder it becomes, chosen before the first byte: whatever is done twice is done to the same one
        recording TEXT NOT NULL,
        name TEXT NOT NULL,
        filename TEXT NOT NULL,
        size ${int} NOT NULL,
        -- as last noted
        came ${int} NOT NULL,
        state TEXT NOT NULL,
        -- why it is refused: for people, and as JSON for programs
        problem TEXT NOT NULL,
        reason TEXT NOT NULL,
        video_id ${int},
        created_at ${int} NOT NULL,
        touched_at ${int} NOT NULL
      ) ${table}`,
      'CREATE INDEX uploads_of_account ON uploads (account_id, created_at, id)',
      'CREATE INDEX uploads_of_channel ON uploads (channel_id, id)',
      'CREATE INDEX uploads_of_node ON uploads (node, state)',
      'CREATE INDEX uploads_by_age ON uploads (touched_at)',
    ],
  },
  {
    name: 'the audit log',
    statements: ({ id, int, table }) => [
      // Names as they were then: what they name may be gone. No references, so that a row locks none of the others.
      `CREATE TABLE audit_log (
        id ${id},
        -- 0 for what is no account's
        account_id ${int} NOT NULL,
        at ${int} NOT NULL,
        via TEXT NOT NULL CHECK (via IN ('console', 'interface', 'command')),
        person_id ${int} NOT NULL,
        token_id ${int} NOT NULL,
        who_name TEXT NOT NULL,
        manager_id ${int} NOT NULL,
        manager_username TEXT NOT NULL,
        operation TEXT NOT NULL,
        op_group TEXT NOT NULL,
        target_kind TEXT NOT NULL,
        target_id ${int} NOT NULL,
        target_name TEXT NOT NULL,
        -- the channel it is about, which may be gone by now; 0 for none
        of_channel ${int} NOT NULL,
        fields TEXT NOT NULL,
        told TEXT NOT NULL,
        address TEXT NOT NULL,
        -- what is looked through for a word
        folded TEXT NOT NULL,
        times ${int} NOT NULL
      ) ${table}`,
      'CREATE INDEX audit_by_account ON audit_log (account_id, at, id)',
      'CREATE INDEX audit_by_group ON audit_log (account_id, op_group, at, id)',
      'CREATE INDEX audit_by_person ON audit_log (account_id, person_id, at, id) WHERE person_id <> 0',
      'CREATE INDEX audit_by_token ON audit_log (account_id, token_id, at, id) WHERE token_id <> 0',
      'CREATE INDEX audit_by_channel ON audit_log (account_id, of_channel, at, id) WHERE of_channel <> 0',
    ],
  },
  {
    name: 'what a page offers of its videos',
    statements: ({ int }) => [
      // see `offers` in library/videos/video-store.ts; what is imported is offered as what was pushed is
      `ALTER TABLE videos ADD COLUMN offered ${int} NOT NULL DEFAULT 2`,
      // Of clips and uploads so far nothing says so, and recordings from before there were shows name none either.
      `UPDATE videos SET offered = 1 WHERE recording IS NOT NULL AND show_at IS NULL AND (
         id IN (SELECT video_id FROM uploads WHERE video_id IS NOT NULL)
         OR start_time >= (SELECT MIN(s.begin_at) FROM shows s WHERE s.channel_id = videos.channel_id))`,
      'CREATE INDEX videos_offered ON videos (account_id, channel_id, offered, id, deleted_at)',
    ],
  },
  {
    // What is done is nearly all of them, and is not counted each time somebody looks.
    name: 'jobs of an account, counted',
    statements: () => [
      'CREATE INDEX jobs_newest ON jobs (account_id, id)',
      `INSERT INTO totals (account_id, kind, part, part_id, total)
       SELECT account_id, 'jobs', 'account', 0, COUNT(*) FROM jobs GROUP BY account_id`,
    ],
  },
  {
    name: 'sums of shows',
    // as JSON, without the minutes; null in what was kept before
    statements: () => ['ALTER TABLE show_figures ADD COLUMN sums TEXT'],
  },
  {
    // What the pictures of an account take is asked for with each upload and each push.
    name: 'pictures by account',
    statements: () => ['CREATE INDEX images_of_account ON images (account_id, LENGTH(bytes))'],
  },
  {
    name: 'the outbox',
    statements: ({ int, table, clustered }) => [
      // the last number of each feed; its lock is what puts them in the order of commits
      `CREATE TABLE event_feeds (
        account_id ${int} NOT NULL,
        feed ${int} NOT NULL,
        last_seq ${int} NOT NULL,
        PRIMARY KEY (account_id, feed)
      ) ${table}`,
      // No references: an event outlives what it tells of, and locks none of it.
      `CREATE TABLE events (
        account_id ${int} NOT NULL,
        feed ${int} NOT NULL,
        seq ${int} NOT NULL,
        id TEXT NOT NULL,
        type TEXT NOT NULL,
        channel_id ${int} NOT NULL,
        -- of the channel then; 0 for none
        manager_id ${int} NOT NULL,
        at ${int} NOT NULL,
        data TEXT NOT NULL,
        PRIMARY KEY (account_id, feed, seq)
      ) ${clustered}`,
    ],
  },
  {
    name: 'which shows are told',
    statements: ({ int }) => [
      `ALTER TABLE shows ADD COLUMN told ${int} NOT NULL DEFAULT 0`,
      // what ended before there were events
      'UPDATE shows SET told = 1 WHERE end_at IS NOT NULL',
      'CREATE INDEX shows_untold ON shows (end_at) WHERE told = 0',
    ],
  },
  {
    name: 'which sessions are over',
    statements: ({ int }) => [
      // Which run of a service has it, 0 once it is told that it is over; null in imported ones, and in those from before this.
      `ALTER TABLE sessions ADD COLUMN held_by ${int}`,
      // Of nothing that a beat writes: on PostgreSQL those rows then stay where they are.
      'CREATE INDEX sessions_held ON sessions (held_by, channel_id, seq) WHERE held_by > 0',
    ],
  },
  {
    name: 'webhooks',
    statements: ({ id, int, table }) => [
      `CREATE TABLE webhooks (
        id ${id},
        account_id ${int} NOT NULL REFERENCES accounts (id),
        url TEXT NOT NULL,
        description TEXT NOT NULL,
        -- types, with spaces between
        events TEXT NOT NULL,
        -- as they are: a hash cannot sign
        secret TEXT NOT NULL,
        old_secret TEXT NOT NULL DEFAULT '',
        old_secret_until ${int} NOT NULL DEFAULT 0,
        created_at ${int} NOT NULL,
        enabled ${int} NOT NULL DEFAULT 1,
        disabled_reason TEXT NOT NULL DEFAULT '',
        -- how far it has come in each feed; null for one it does not follow
        main_seq ${int},
        sessions_seq ${int},
        missed ${int} NOT NULL DEFAULT 0,
        -- tries that failed since the last success, since when, and how long the target rests
        failures ${int} NOT NULL DEFAULT 0,
        failing_since ${int},
        last_success_at ${int},
        try_after ${int} NOT NULL DEFAULT 0,
        -- when there is something to be done though no event comes; null for never
        work_at ${int},
        -- rises with every word of its owner
        asked ${int} NOT NULL DEFAULT 0,
        leased_by TEXT NOT NULL DEFAULT '',
        lease_until ${int} NOT NULL DEFAULT 0
      ) ${table}`,
      'CREATE INDEX webhooks_of_account ON webhooks (account_id, id)',
      // No references: they outlive the webhook until they are swept, and the channel that they tell of.
      `CREATE TABLE webhook_deliveries (
        id ${id},
        webhook_id ${int} NOT NULL,
        -- what stands in one order; empty for a notice
        lane TEXT NOT NULL,
        of_channel ${int} NOT NULL,
        event_id TEXT NOT NULL,
        type TEXT NOT NULL,
        body TEXT NOT NULL,
        state TEXT NOT NULL CHECK (state IN ('pending', 'delivered', 'given_up', 'notice')),
        created_at ${int} NOT NULL,
        tries ${int} NOT NULL DEFAULT 0,
        first_try_at ${int},
        tried_at ${int} NOT NULL DEFAULT 0,
        try_after ${int} NOT NULL DEFAULT 0,
        done_at ${int},
        -- of the last try
        status ${int} NOT NULL DEFAULT 0,
        took_ms ${int} NOT NULL DEFAULT 0,
        request_headers TEXT NOT NULL DEFAULT '',
        answer_headers TEXT NOT NULL DEFAULT '',
        answer_body TEXT NOT NULL DEFAULT '',
        problem TEXT NOT NULL DEFAULT ''
      ) ${table}`,
      'CREATE INDEX deliveries_of_webhook ON webhook_deliveries (webhook_id, id)',
      "CREATE INDEX deliveries_pending ON webhook_deliveries (webhook_id, lane, id) WHERE state = 'pending'",
      "CREATE INDEX deliveries_oldest ON webhook_deliveries (created_at) WHERE state = 'pending'",
    ],
  },
  {
    name: 'how many deliveries wait',
    statements: ({ int }) => [
      // changes in the transactions that change their state
      `ALTER TABLE webhooks ADD COLUMN pending ${int} NOT NULL DEFAULT 0`,
      `UPDATE webhooks SET pending = (SELECT COUNT(*) FROM webhook_deliveries d
         WHERE d.webhook_id = webhooks.id AND d.state = 'pending')`,
      // The first of each webhook, past neither its log nor what waits of those that are disabled.
      'DROP INDEX deliveries_oldest',
      "CREATE INDEX deliveries_first ON webhook_deliveries (webhook_id, id) WHERE state = 'pending'",
    ],
  },
  {
    name: 'nodes and their pushes',
    expands: true,
    statements: ({ int, table }) => [
      `ALTER TABLE migrations ADD COLUMN expands ${int} NOT NULL DEFAULT 0`,
      // All times are the database's own, in epoch milliseconds.
      `CREATE TABLE nodes (
        node TEXT PRIMARY KEY,
        -- from its start to its end
        run TEXT NOT NULL,
        -- where the others reach it; empty where it is alone
        link_url TEXT NOT NULL,
        version TEXT NOT NULL,
        draining ${int} NOT NULL,
        started_at ${int} NOT NULL,
        seen_at ${int} NOT NULL,
        -- rises with each sign of life: others watch it by their own clocks
        renewals ${int} NOT NULL,
        -- how far its clock is ahead of the database's
        clock_ahead_ms ${int} NOT NULL,
        -- what its viewers watched before is in the records, by the clock of the nodes
        flushed_until ${int} NOT NULL
      ) ${table}`,
      `CREATE TABLE pushes (
        channel_id ${int} PRIMARY KEY,
        push TEXT NOT NULL,
        -- rises with every node that takes it
        epoch ${int} NOT NULL,
        node TEXT NOT NULL,
        state TEXT NOT NULL CHECK (state IN ('live', 'cut', 'ended')),
        -- of the publish key: who comes with another one takes the channel
        key_hash TEXT NOT NULL,
        held_until ${int} NOT NULL,
        renewals ${int} NOT NULL,
        media_at ${int} NOT NULL,
        started_at ${int} NOT NULL,
        -- the highest number of a segment that its holder may have shown
        sequence_mark ${int} NOT NULL,
        discontinuities ${int} NOT NULL
      ) ${table}`,
    ],
  },
  {
    // A recording goes into the bucket piece by piece. What no row names does not exist there.
    name: 'recordings in a bucket',
    expands: true,
    statements: ({ int, clustered }) => [
      // where its files are: on its node's disk, there and on their way into the bucket, in it, in it and on their way back
      `ALTER TABLE videos ADD COLUMN storage TEXT NOT NULL DEFAULT 'disk'
         CHECK (storage IN ('disk', 'spool', 'bucket', 'leaving'))`,
      "CREATE INDEX videos_moving ON videos (storage, id) WHERE storage IN ('spool', 'leaving')",
      // The segments of recordings that are not all in the bucket yet; later the index in it names them.
      `CREATE TABLE segments (
        push TEXT NOT NULL,
        epoch ${int} NOT NULL,
        sequence ${int} NOT NULL,
        key TEXT NOT NULL,
        size ${int} NOT NULL,
        -- of the init that stands before it in the same object; 0 where it goes on with the one before
        init_size ${int} NOT NULL,
        width ${int} NOT NULL,
        height ${int} NOT NULL,
        duration_ms ${int} NOT NULL,
        -- 1: decoding can begin with it; 2: it does not go on from the one before
        flags ${int} NOT NULL,
        starts_at ${int} NOT NULL,
        PRIMARY KEY (push, sequence)
      ) ${clustered}`,
      // The files of recordings in the bucket, large ones in several pieces.
      `CREATE TABLE recorded_objects (
        recording TEXT NOT NULL,
        file TEXT NOT NULL,
        at ${int} NOT NULL,
        key TEXT NOT NULL,
        size ${int} NOT NULL,
        -- as the file was known by on the disk
        tag TEXT NOT NULL,
        PRIMARY KEY (recording, file, at)
      ) ${clustered}`,
    ],
  },
  {
    name: 'when a visitor watched of late',
    // A service of the version before writes rows as it did, and time of such rows counts once.
    expands: true,
    statements: ({ int }) => [
      // before it nothing counts any more; null: what is before credited_until
      `ALTER TABLE visitors ADD COLUMN settled_until ${int}`,
      // the last stretch goes from here to credited_until; null: it is empty
      `ALTER TABLE visitors ADD COLUMN stretch_from ${int}`,
      // the other stretches behind settled_until, as JSON; null: none
      'ALTER TABLE visitors ADD COLUMN stretches TEXT',
    ],
  },
  {
    // One push is one recording, whichever nodes have had it: what each holder puts into it is a stint.
    name: 'stints of recordings',
    expands: true,
    statements: ({ int, clustered }) => [
      `CREATE TABLE recording_stints (
        recording TEXT NOT NULL,
        -- by which its holder had the push
        epoch ${int} NOT NULL,
        push TEXT NOT NULL,
        channel_id ${int} NOT NULL,
        account_id ${int} NOT NULL,
        -- on whose disk lies what is not named yet
        node TEXT NOT NULL,
        -- media of the push before it
        pushed_ms ${int} NOT NULL,
        show_at ${int},
        -- 1: all of it is named
        carried ${int} NOT NULL,
        -- 1: nothing follows it in its recording
        is_last ${int} NOT NULL,
        PRIMARY KEY (recording, epoch)
      ) ${clustered}`,
      'CREATE INDEX stints_of_push ON recording_stints (push)',
      "CREATE INDEX pushes_on ON pushes (media_at) WHERE state <> 'ended'",
    ],
  },
  {
    name: 'where nodes keep recordings',
    expands: true,
    statements: () => [
      // Name and prefix, empty where recordings stay in the folder. Null: its program is older and does not say.
      'ALTER TABLE nodes ADD COLUMN bucket TEXT',
      'ALTER TABLE nodes ADD COLUMN bucket_url TEXT',
    ],
  },
  {
    // A page is sent with the picture's place in it: upright, wide, or 0 where nothing was pushed yet.
    name: 'the size of channels’ pictures',
    expands: true,
    statements: ({ int }) => [
      `ALTER TABLE channels ADD COLUMN picture_width ${int} NOT NULL DEFAULT 0`,
      `ALTER TABLE channels ADD COLUMN picture_height ${int} NOT NULL DEFAULT 0`,
    ],
  },
  {
    name: 'slow chats',
    // A service of the version before lets viewers write as it did.
    expands: true,
    statements: ({ int }) => [
      // between two lines of one viewer; 0: as they like
      `ALTER TABLE channels ADD COLUMN chat_slow_seconds ${int} NOT NULL DEFAULT 0`,
      // the visitor's last line, also where that was removed; null: none since there is this column
      `ALTER TABLE visitors ADD COLUMN wrote_at ${int}`,
    ],
  },
  {
    // Whether an account's pushes are shown in smaller sizes, too.
    name: 'live ladders',
    expands: true,
    statements: ({ int }) => [
      `ALTER TABLE accounts ADD COLUMN live_ladder ${int} NOT NULL DEFAULT 0`,
    ],
  },
  {
    name: 'who may watch',
    // A service of the version before lets everybody watch, as it did.
    expands: true,
    statements: () => [
      // who may, as JSON; empty: everybody, and of a video: whoever may watch its channel
      "ALTER TABLE channels ADD COLUMN access TEXT NOT NULL DEFAULT ''",
      "ALTER TABLE videos ADD COLUMN access TEXT NOT NULL DEFAULT ''",
    ],
  },
  {
    name: 'replies in chats',
    // A service of the version before shows them as lines like any other.
    expands: true,
    statements: ({ int }) => [
      // the line that it answers, which may be gone
      `ALTER TABLE chat_messages ADD COLUMN reply_to ${int}`,
    ],
  },
  {
    name: 'place names in one language',
    // A service of the version before writes them as each viewer's page reads, as it did.
    expands: true,
    statements: (_, dialect) => [
      "ALTER TABLE accounts ADD COLUMN place_language TEXT NOT NULL DEFAULT 'en'",
      // whose newest record of any channel says it in Chinese goes on so
      `UPDATE accounts SET place_language = 'zh' WHERE id IN (
         SELECT c.account_id FROM channels c JOIN sessions s ON s.channel_id = c.id
         WHERE s.seq = (SELECT MAX(n.seq) FROM sessions n WHERE n.channel_id = c.id)
           AND s.addr ${dialect === 'postgres' ? 'COLLATE "C" ' : ''}>= '一')`,
    ],
  },
  {
    name: 'codes and lists of who may watch',
    // A service of the version before lets nobody in by them, as it knows neither.
    expands: true,
    statements: ({ int, clustered }) => [
      // thing: c1 for channel 1, v3 for video 3; key: of a code its signature, of a list the uid or phone; uses_max 0: any
      `CREATE TABLE access_keys (
        channel_id ${int} NOT NULL,
        key TEXT NOT NULL,
        thing TEXT NOT NULL,
        hint TEXT NOT NULL,
        note TEXT NOT NULL,
        uses_max ${int} NOT NULL,
        uses ${int} NOT NULL,
        created_at ${int} NOT NULL,
        PRIMARY KEY (channel_id, key, thing)
      ) ${clustered}`,
    ],
  },
  {
    name: 'registrations',
    // A service of the version before shows no form, and lets in who has registered elsewhere.
    expands: true,
    statements: ({ int, clustered }) => [
      // thing: as in access_keys; names, answers: the fields as they were and what was answered, as JSON
      `CREATE TABLE registrations (
        channel_id ${int} NOT NULL,
        viewer_id TEXT NOT NULL,
        thing TEXT NOT NULL,
        id TEXT NOT NULL,
        names TEXT NOT NULL,
        answers TEXT NOT NULL,
        registered_at ${int} NOT NULL,
        ended_at ${int},
        PRIMARY KEY (channel_id, viewer_id, thing)
      ) ${clustered}`,
      'CREATE UNIQUE INDEX registrations_id ON registrations (channel_id, id)',
      'CREATE INDEX registrations_at ON registrations (channel_id, thing, registered_at, id)',
    ],
  },
  {
    name: 'captions of videos',
    expands: true,
    statements: ({ int, table }) => [
      // language: a tag; tag: the same for the same text, which is WebVTT
      `CREATE TABLE video_captions (
        video_id ${int} NOT NULL REFERENCES videos (id) ON DELETE CASCADE,
        language TEXT NOT NULL,
        account_id ${int} NOT NULL,
        channel_id ${int} NOT NULL,
        label TEXT NOT NULL,
        cues ${int} NOT NULL,
        bytes ${int} NOT NULL,
        tag TEXT NOT NULL,
        text TEXT NOT NULL,
        PRIMARY KEY (video_id, language)
      ) ${table}`,
      'CREATE INDEX video_captions_account ON video_captions (account_id, bytes)',
      'CREATE INDEX video_captions_channel ON video_captions (channel_id, video_id)',
    ],
  },
  {
    name: 'old registrations',
    expands: true,
    statements: () => [
      'CREATE INDEX registrations_by_age ON registrations (channel_id, registered_at, id)',
    ],
  },
];

const foldName = batchStatement(
  { id: 'int', folded_name: 'text' },
  ({ id, folded_name }, from) =>
    `UPDATE channels SET folded_name = ${folded_name} ${from()} WHERE channels.id = ${id}`,
);

const startTime: Record<Dialect, string> = {
  sqlite: "json_extract(page, '$.start_time')) VIRTUAL",
  postgres: "CAST(CAST(page AS JSON) ->> 'start_time' AS BIGINT)) STORED",
};

const isPublic: Record<Dialect, string> = {
  sqlite: "json_extract(page, '$.public')) VIRTUAL",
  postgres: "CASE CAST(page AS JSON) ->> 'public' WHEN 'true' THEN 1 END) STORED",
};

/** As the one of videos. */
const channelNames: Record<Dialect, string[]> = {
  sqlite: [
    `CREATE VIRTUAL TABLE channel_names USING fts5 (folded_name, content = 'channels', content_rowid = 'id',
      tokenize = 'trigram case_sensitive 1')`,
    // those that are there already have no name in it until they are folded
    "INSERT INTO channel_names (channel_names) VALUES ('rebuild')",
    `CREATE TRIGGER channel_names_added AFTER INSERT ON channels BEGIN
      INSERT INTO channel_names (rowid, folded_name) VALUES (new.id, new.folded_name);
    END`,
    `CREATE TRIGGER channel_names_removed AFTER DELETE ON channels BEGIN
      INSERT INTO channel_names (channel_names, rowid, folded_name) VALUES ('delete', old.id, old.folded_name);
    END`,
    `CREATE TRIGGER channel_names_changed AFTER UPDATE OF folded_name ON channels BEGIN
      INSERT INTO channel_names (channel_names, rowid, folded_name) VALUES ('delete', old.id, old.folded_name);
      INSERT INTO channel_names (rowid, folded_name) VALUES (new.id, new.folded_name);
    END`,
  ],
  postgres: ['CREATE INDEX channel_names ON channels USING gin (folded_name gin_trgm_ops)'],
};

/** Three characters and more are looked up here; both engines check the candidates against the whole name. */
const titleIndex: Record<Dialect, string[]> = {
  sqlite: [
    `CREATE VIRTUAL TABLE video_titles USING fts5 (folded_name, content = 'videos', content_rowid = 'id',
      tokenize = 'trigram case_sensitive 1')`,
    `CREATE TRIGGER video_titles_added AFTER INSERT ON videos BEGIN
      INSERT INTO video_titles (rowid, folded_name) VALUES (new.id, new.folded_name);
    END`,
    `CREATE TRIGGER video_titles_removed AFTER DELETE ON videos BEGIN
      INSERT INTO video_titles (video_titles, rowid, folded_name) VALUES ('delete', old.id, old.folded_name);
    END`,
    `CREATE TRIGGER video_titles_changed AFTER UPDATE OF folded_name ON videos BEGIN
      INSERT INTO video_titles (video_titles, rowid, folded_name) VALUES ('delete', old.id, old.folded_name);
      INSERT INTO video_titles (rowid, folded_name) VALUES (new.id, new.folded_name);
    END`,
  ],
  postgres: [
    'CREATE EXTENSION IF NOT EXISTS pg_trgm',
    'CREATE INDEX video_titles ON videos USING gin (folded_name gin_trgm_ops)',
  ],
};
