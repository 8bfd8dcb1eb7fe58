// The files of the pay origin, whose name under localhost only browsers know.
import { get } from 'node:http';
import { credentials } from './env.mjs';

/** What the pay origin answers for a path, which is sent as it is written. */
export function getFile(path) {
  const { host, port } = new URL(credentials.pay_url);
  return new Promise((resolve, reject) => {
    get({ host: 'localhost', port, path, headers: { Host: host } }, (response) => {
      let text = '';
      response
        .setEncoding('utf8')
        .on('data', (part) => (text += part))
        .on('end', () => resolve({ status: response.statusCode, headers: response.headers, text }));
    }).on('error', reject);
  });
}
