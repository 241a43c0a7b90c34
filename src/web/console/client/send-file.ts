// Sends a file so that one sees how far it has gone, which `fetch` does not tell.
import type { ApiOptions } from './api.ts';

export const sendFile: ApiOptions['send'] = (
  path,
  file,
  { method = 'POST', signal, onProgress },
) => {
  const answered = Promise.withResolvers<Response>();
  const request = new XMLHttpRequest();
  request.open(method, path);
  request.setRequestHeader('content-type', file.type);
  request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0);
  request.onload = () => {
    const { status, responseText } = request;
    const later = request.getResponseHeader('retry-after');
    answered.resolve(
      new Response(responseText, { status, headers: later ? { 'retry-after': later } : {} }),
    );
  };
  request.onerror = () => answered.reject(new Error('there is no answer'));
  request.onabort = request.onerror;
  signal.addEventListener('abort', () => request.abort());
  request.send(file);
  return answered.promise;
};
