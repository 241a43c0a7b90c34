// The health check of the image: ends with 0 where the service in this container says that it is ready.
import { get as getPlain } from 'node:http';
import { get as getSecure } from 'node:https';

const { PORT = '8080', HOST = '0.0.0.0', TLS_CERT = '' } = process.env;
const host = HOST === '0.0.0.0' || HOST === '::' ? '127.0.0.1' : HOST;
const get = TLS_CERT === '' ? getPlain : getSecure;
const answerWithinMs = 8_000;

// The certificate is for the name that viewers use, not for this address.
const options = { host, port: PORT, path: '/readyz', rejectUnauthorized: false };
const request = get({ ...options, timeout: answerWithinMs }, (answer) => {
  answer.setEncoding('utf8');
  answer.on('data', (text) => process.stdout.write(text));
  answer.on('end', () => process.exit(answer.statusCode === 200 ? 0 : 1));
});
const fail = (words) => {
  console.error(words);
  process.exit(1);
};
request.on('timeout', () => fail(`no answer within ${answerWithinMs} ms`));
request.on('error', (error) => fail(error.message));
