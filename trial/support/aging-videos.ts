// The videos in a service's database, as another program sees them and makes them old.
import { DatabaseSync } from 'node:sqlite';
import { sqliteFile } from '../../src/base/db/store.ts';

const dayMs = 86_400_000;

export class AgingVideos {
  private readonly file: string;

  constructor(dataDir: string) {
    this.file = sqliteFile({ dataDir });
  }

  all(): { id: number; cover_url: string }[] {
    return this.open((db) => {
      const rows = db.prepare('SELECT id, cover_url FROM videos').all();
      return rows.map(({ id, cover_url }) => ({ id: Number(id), cover_url: String(cover_url) }));
    });
  }

  /** Videos whose jobs are done become two days old; how many did. The service finds that by itself. */
  age(): number {
    return this.open((db) => {
      const statement = db.prepare(
        "UPDATE videos SET upload_time = upload_time - ? WHERE cover_url <> '' AND upload_time > ?",
      );
      return Number(statement.run(2 * dayMs, Date.now() - dayMs).changes);
    });
  }

  private open<T>(work: (db: DatabaseSync) => T): T {
    const db = new DatabaseSync(this.file);
    try {
      db.exec('PRAGMA busy_timeout = 5000');
      return work(db);
    } finally {
      db.close();
    }
  }
}
