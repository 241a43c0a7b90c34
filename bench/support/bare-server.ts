// The floor: a Bun.serve that sends ready-made bytes, with a route parameter and nothing else.

/** Texts made by Footlight before the run: answers to the single read by id, and to the list. */
export interface BareAnswers {
  single: Record<string, string>;
  list: string;
}

const file = process.argv[2];
const answers: BareAnswers = file ? await Bun.file(file).json() : { single: {}, list: '' };
const single = new Map(Object.entries(answers.single));
const headers = { 'content-type': 'application/json; charset=utf-8' };

Bun.serve({
  hostname: '127.0.0.1',
  port: Number(process.env['PORT']),
  routes: {
    '/livez': () => new Response('ok\n'),
    '/v1/activities': () => new Response(answers.list, { headers }),
    '/v1/activities/:id': (request) => new Response(single.get(request.params.id), { headers }),
  },
});
