// An S3 server: `s3-process.ts FOLDER PORT BUCKET`. It prints its port when it listens.
import S3rver from '@20minutes/s3rver';

const [directory, port, bucket] = process.argv.slice(2);
const server = new S3rver({
  address: '127.0.0.1',
  port: Number(port),
  directory,
  silent: true,
  allowMismatchedSignatures: false,
  configureBuckets: [{ name: bucket }],
});
console.log((await server.run()).port);
