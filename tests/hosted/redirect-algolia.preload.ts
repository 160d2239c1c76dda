// Loaded into the server process before any other module.
import { redirectAlgoliaTo } from './redirect-algolia.ts';

redirectAlgoliaTo(Number(process.env['ALGOLIA_EDGE_PORT']));
