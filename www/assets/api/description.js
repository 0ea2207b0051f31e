/* SPDX-License-Identifier: Apache-2.0 */

/* Reads an OpenAPI 3.1 description: its operations, and short texts about their schemas. */

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

export class Description {
    constructor(document) {
        this.document = document;
        this.operations = Object.entries(document.paths).flatMap(([path, item]) =>
            METHODS.filter(method => item[method]).map(method => this.operation(path, method, item[method])),
        );
    }

    /* Resolves the responses, which operations share. */
    operation(path, method, { responses, ...rest }) {
        const resolved = Object.entries(responses).map(([status, response]) => [status, this.resolve(response)]);
        return { path, method: method.toUpperCase(), ...rest, responses: Object.fromEntries(resolved) };
    }

    find(id) {
        return this.operations.find(({ operationId }) => operationId === id);
    }

    /* Returns the tags with the operations that match the filter, [{ name, description, operations }], in the order of
     * the tags. */
    groups(filter) {
        const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
        const matches = ({ method, path, operationId, summary }) => {
            const text = `${method} ${path} ${operationId} ${summary}`.toLowerCase();
            return words.every(word => text.includes(word));
        };
        return this.document.tags
            .map(tag => ({
                ...tag,
                operations: this.operations.filter(operation => operation.tags[0] === tag.name && matches(operation)),
            }))
            .filter(({ operations }) => operations.length > 0);
    }

    /* Returns the target of a reference, or the value itself. */
    resolve(value) {
        if (!value?.$ref) {
            return value;
        }
        const [, , kind, name] = value.$ref.split('/');
        return this.document.components[kind][name];
    }

    parameters(operation) {
        return (operation.parameters ?? []).map(parameter => this.resolve(parameter));
    }

    /* Returns who may send the request: { isOpen: true for everybody, role: the required role }. */
    access({ security }) {
        const isOpen = security.length === 0 || security.some(choice => Object.keys(choice).length === 0);
        return { isOpen, role: isOpen ? undefined : security.flatMap(Object.values).flat()[0] };
    }

    /* Returns the type of a schema in a few words: "string, 1 to 200 characters". */
    type(schema) {
        const name = schema.$ref?.split('/')[3];
        const { type, items, format, enum: choices, oneOf } = this.resolve(schema);
        if (oneOf) {
            return `one of ${oneOf.map(choice => this.type(choice)).join(', ')}`;
        }
        if (type === 'array') {
            return [`array of ${this.type(items)}`, ...bounds(this.resolve(schema))].filter(Boolean).join(', ');
        }
        const kind = name ?? [].concat(format ?? type ?? 'any value').join(' or ');
        return [kind, choices && `one of ${choices.join(', ')}`, ...bounds(this.resolve(schema))].filter(Boolean).join(', ');
    }

    /* Returns the members of an object, or of the objects in an array or a choice: { name, schema, isRequired }
     * each. */
    members(schema) {
        const { properties, required = [], items, oneOf } = this.resolve(schema);
        if (properties) {
            return Object.entries(properties).map(([name, member]) => ({
                name,
                schema: member,
                isRequired: required.includes(name),
            }));
        }
        return items ? this.members(items) : [];
    }

    /* Returns the schemas of a choice. */
    choices(schema) {
        const { oneOf, items } = this.resolve(schema);
        return oneOf ?? (items ? this.choices(items) : []);
    }

    examples(media) {
        return Object.entries(media.examples ?? {}).map(([name, example]) => ({ name, ...this.resolve(example) }));
    }
}

function range(least, most, unit) {
    if (least !== undefined && most !== undefined) {
        return `${least} to ${most}${unit}`;
    }
    if (most !== undefined) {
        return `at most ${most}${unit}`;
    }
    return least > 0 || (least === 0 && !unit) ? `at least ${least}${unit}` : undefined;
}

function bounds(schema) {
    return [
        range(schema.minLength, schema.maxLength, ' characters'),
        range(schema.minimum, schema.maximum, ''),
        range(schema.minItems, schema.maxItems, ' elements'),
        schema.default !== undefined && schema.default !== '' ? `${JSON.stringify(schema.default)} if absent` : undefined,
    ];
}
