// Lint rules for names and comments that no published plugin has. CONTRIBUTING.md explains them.

/** The parts of a syntax tree that the rules look at. */
interface Node {
  type: string;
  name?: string;
  id?: Node | null;
  init?: Node | null;
  key?: Node;
  value?: Node;
  left?: Node;
  argument?: Node;
  param?: Node | null;
  shorthand?: boolean;
  params?: Node[];
  elements?: (Node | null)[];
  properties?: Node[];
}
interface Context {
  sourceCode: { getAllComments(): readonly (Node & { value: string })[] };
  report(problem: { node: Node; message: string }): void;
}

/** Prepositions, pronouns and numerals, which say nothing about a value. `from` and `to` are the ends of a range. */
const functionWords = toWords(
  `about above again alone also another any at away back before behind below beside best between beyond both by down each
  either elsewhere enough even every everyone few for half here in inside it its late later least less like long many mine
  more most much near neither none nobody not nothing of off on once one ones only otherwise over own past same since some
  someone such than that the their them then there these they those through together too twice two under until up upon what
  when where whether which while who whole whom whose with within without yet yours others after`,
);

/** Bounds and times may have these names as fields, because they are stored and sent. */
const fieldNames = toWords('after at before since until');

/** Participles, which say what happened to a value and not what it is. As a property, one is an adjective. */
const participles = toWords(
  `added aged allowed answered asked begun broken called caught changed checked chosen claimed closed coming counted covered
  decided deleted drawn ended faked finished found given gone heard held hidden joined kept known left listed locked lost
  made missed moved needed offered opened paid picked placed posted queued raised reached received refused rejected removed
  replaced running said saved seen sent shown signed sorted spoken started stored taken thrown told tried turned typed used
  wanted was watching wrong`,
);

/** Verbs with which a function may begin. `read` is missing, because most uses of it mean parse, load, find or list. */
const verbs = toWords(
  `abandon abort accept acquire activate add admit advance align allow analyze animate announce answer appeal append apply
  archive arrive ask assert attach attack attempt audit authenticate authorize await begin bench bind block blur boot
  broadcast build bundle cache calculate call calm can cancel capture carry catch change check checkpoint choose cite clamp
  claim clean clear click clip clone close collapse collect commit compact compare compile complete compose compress compute confirm
  connect consume continue convert copy correct correlate corrupt count crash create cut deactivate decide decode decrypt
  defer delay delete deliver dequeue derive describe destroy detach detect diagnose differ disable discard disconnect
  discover dismiss display dispose distribute do download drag drain draw drill drop echo edit emit empty emulate enable
  encode encrypt end enlarge enqueue enroll ensure enter erase escalate escape estimate evaluate evict examine exclude
  execute exists expand expect expire explain export extend extract fail fall fetch fill filter find finish fit flatten flip
  flush focus fold follow forget fork format forward freeze fuzz generate get give go grant group grow guard guess guide
  handle has hash have hide highlight hold identify ignore import increment index inform initialize insert inspect install
  interpolate interrupt invalidate invite is issue iterate join judge jump keep kill launch learn leave let lift limit link
  list listen load locate lock log look loop lose make map mark match may measure meet mention merge migrate mistype
  moderate modify mount move mute name navigate needs normalize note notify observe offer open order outline overlap
  overwrite pack pad page paint pan parse pass paste patch pause peek perform pick pin place plan plant play poll pool
  populate post postpone preload prepare press prevent preview print prioritize proceed process prompt propose protect
  prove provide prune publish pull pump purge push put query queue quote race raise rank react receive recheck recommend
  reconnect record recount recover redirect redraw reduce refetch refresh refund register reindex reject rejoin rekey
  release reload relock remember remove rename render renew reopen reorder repair repeat replace replay reply report
  request requeue require reseal resend reserve reset resize resolve respond restart restore restrict resume resync retain
  retry return reuse reveal reverse review revoke rewrite roll rotate round route run sample save say scan schedule score
  scroll scrub seal search segment select send separate serialize serve set settle shake share shift shorten should show
  shrink shuffle shut sign simulate skip sleep slice slow snapshot sort speak spend split spread squeeze stage standardize
  start step stop store stream strip submit subscribe subtract suggest sum summarize suppress suspend swallow swap switch
  sync take tap tell test thaw throttle throw tick tidy to toggle tokenize total trace track translate transfer trim try
  turn type undo unfold uninstall unlink unlock unmask unpack unpin unregister unseal unsubscribe unverify update upgrade
  upload use vacuum validate verify visit vote wait wake walk warn was watch weigh will withdraw work wrap write yield zip
  zoom on swipe back sift up`,
);

/** Words with which a doc comment becomes a fragment without its subject. */
const fragmentStart =
  /^(?:Also|And|As|At|But|By|For|From|In|It|Its|Like|Not|Of|On|So|Than|That|Their|These|Those|To|With|Without)\b/;

function toWords(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/));
}

const nounNames = {
  create(context: Context) {
    const report = (node: Node) =>
      context.report({ node, message: `'${node.name}' is no noun. Name the thing.` });
    const checkVariable = (node: Node) => {
      const { name = '' } = node;
      if (functionWords.has(name) || participles.has(name)) report(node);
    };
    const checkPattern = (pattern: Node) => {
      for (const variable of listVariables(pattern)) checkVariable(variable);
    };
    const checkFunction = (node: Node) => node.params?.forEach(checkPattern);
    return {
      VariableDeclarator: (node: Node) => node.id && checkPattern(node.id),
      FunctionDeclaration: checkFunction,
      FunctionExpression: checkFunction,
      ArrowFunctionExpression: checkFunction,
      CatchClause: (node: Node) => node.param && checkPattern(node.param),
      TSPropertySignature({ key }: Node) {
        const { name = '' } = key?.type === 'Identifier' ? key : {};
        if (key && functionWords.has(name) && !fieldNames.has(name)) report(key);
      },
    };
  },
};

/** Lists the variables that a pattern declares. The property names a variable that is written as shorthand. */
function listVariables(pattern: Node): Node[] {
  switch (pattern.type) {
    case 'Identifier':
      return [pattern];
    case 'AssignmentPattern':
      return pattern.left ? listVariables(pattern.left) : [];
    case 'RestElement':
      return pattern.argument ? listVariables(pattern.argument) : [];
    case 'ArrayPattern':
      return (pattern.elements ?? []).flatMap((element) => (element ? listVariables(element) : []));
    case 'ObjectPattern':
      return (pattern.properties ?? []).flatMap((property) => {
        if (property.type === 'RestElement') return listVariables(property);
        return property.shorthand || !property.value ? [] : listVariables(property.value);
      });
    default:
      return [];
  }
}

const verbFunctions = {
  create(context: Context) {
    const check = (node: Node | null | undefined) => {
      const name = node?.name;
      // A component is a noun.
      if (!node || !name || /^[A-Z]/.test(name)) return;
      const firstWord = /^[a-z]*/.exec(name)?.[0] ?? '';
      if (name.endsWith('Of') || !verbs.has(firstWord)) {
        context.report({ node, message: `'${name}' does not say by a verb what it does.` });
      }
    };
    return {
      FunctionDeclaration: (node: Node) => check(node.id),
      VariableDeclarator({ id, init }: Node) {
        if (/^(?:ArrowFunction|Function)Expression$/.test(init?.type ?? '')) check(id);
      },
    };
  },
};

const commentStarts = {
  create(context: Context) {
    return {
      Program() {
        for (const comment of context.sourceCode.getAllComments()) {
          if (comment.type !== 'Block' || !comment.value.startsWith('*')) continue;
          const text = comment.value.replace(/^[\s*]+/, '');
          if (fragmentStart.test(text)) {
            context.report({
              node: comment,
              message: 'Begin the comment with a verb, or a noun with its article.',
            });
          }
        }
      },
    };
  },
};

/** Words of comments that have a plainer form, which CONTRIBUTING.md asks for. */
const oldWords = /\b(?:anew|at once|beside|nobody|somebody|whoever)\b/i;

const plainWords = {
  create(context: Context) {
    return {
      Program() {
        for (const comment of context.sourceCode.getAllComments()) {
          const word = oldWords.exec(comment.value)?.[0];
          if (word) context.report({ node: comment, message: `Say '${word}' in a plainer way.` });
        }
      },
    };
  },
};

const separateDeclarations = {
  create(context: Context) {
    return {
      VariableDeclarator(node: Node) {
        if (node.id?.type === 'ArrayPattern' && node.init?.type === 'ArrayExpression') {
          context.report({ node, message: 'Declare each variable in a statement of its own.' });
        }
      },
    };
  },
};

export default {
  meta: { name: 'reading' },
  rules: {
    'noun-names': nounNames,
    'verb-functions': verbFunctions,
    'comment-starts': commentStarts,
    'plain-words': plainWords,
    'separate-declarations': separateDeclarations,
  },
};
