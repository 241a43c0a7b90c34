// What `/openapi.json` says of uploading a picture.
import { docs } from '../../base/api/route.ts';
import { imageAnswer } from './image.ts';
import { imageLimits } from './image-limits.ts';

const { bytesMax, sideMax, pixelsMax, ofChannelMax, profileBytesMax } = imageLimits;
const many = (count: number) => count.toLocaleString('en');

export const imageDocs = {
  uploadImage: docs({
    summary: 'Upload a picture for the viewing page of a channel',
    note: `The body is the file itself: PNG, JPEG, WebP or GIF, at most ${many(bytesMax)} bytes, ${many(sideMax)} pixels a side and ${many(pixelsMax)} in all. What it is is found by its bytes. One that is cut, holds anything after the picture's end, unpacks to more than its pixels, is made of more parts than any program writes or brings a colour profile of more than ${many(profileBytesMax)} bytes is a 400 that says so, and so is SVG. The answer's \`address\` works at once and can be written into any picture field of the page; it is random, so nobody finds it before the page is saved. A picture that no saved page of the account names for a day goes; a channel has at most ${ofChannelMax}, and the oldest that no saved page names makes room. Pictures count in what the account may take of the disk (\`GET /manage/v1/storage\`); beyond it is a 409.`,
    answer: imageAnswer,
    example: { address: '/images/4Zr8bK2nQxW6cYt1VdHs9E.png', width: 1_280, height: 720 },
    errors: ['noPermission', 'noRoom'],
  }),
};
