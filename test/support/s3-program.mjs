// An S3 store as a program of its own, run by Node: s3rver on a free port, which it prints; the folder is its argument.
import crypto from 'node:crypto';
import S3rver from 's3rver';

// s3rver makes the token of a list's next page with DES, which OpenSSL 3 does not have; nobody reads it here.
const { createCipheriv } = crypto;
const plain = { update: (text) => Buffer.from(text), final: () => Buffer.alloc(0) };
crypto.createCipheriv = (name, ...rest) => (name === 'des' ? plain : createCipheriv(name, ...rest));

const server = new S3rver({
  address: '127.0.0.1',
  port: 0,
  silent: true,
  directory: process.argv[2],
  vhostBuckets: false,
  configureBuckets: [{ name: 'recordings', configs: [] }],
});
const { port } = await server.run();
process.stdout.write(`${port}\n`);
// Whoever started it is gone.
process.stdin.on('end', () => process.exit(0)).resume();
