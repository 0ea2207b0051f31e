<?php
// SPDX-License-Identifier: Apache-2.0
// The catalogue in plain PHP with PDO. Requests share a persistent connection; prepared statements do not persist.
declare(strict_types=1);

function answer(int $status, array $body): never
{
    http_response_code($status);
    header('Content-Type: application/json');
    echo json_encode($body, JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE);
    exit;
}

// SQLite, MariaDB or PostgreSQL. No request runs a statement twice, so on PostgreSQL each is sent together with its
// values. On MariaDB, PDO does so by default.
function database(): PDO
{
    $dsn = $_SERVER['CATALOG_DSN'];
    return new PDO($dsn, $_SERVER['CATALOG_USER'], $_SERVER['CATALOG_PASSWORD'], [
        PDO::ATTR_PERSISTENT => true,
        PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION,
        PDO::ATTR_DEFAULT_FETCH_MODE => PDO::FETCH_NUM,
        PDO::ATTR_TIMEOUT => 5,
    ] + (str_starts_with($dsn, 'pgsql:') ? [PDO::PGSQL_ATTR_DISABLE_PREPARES => true] : []));
}

// Binds integers as such: MariaDB takes no text after LIMIT.
function run(PDO $db, string $sql, mixed ...$values): PDOStatement
{
    $statement = $db->prepare($sql);
    foreach ($values as $at => $value) {
        $statement->bindValue($at + 1, $value, is_int($value) ? PDO::PARAM_INT : PDO::PARAM_STR);
    }
    $statement->execute();
    return $statement;
}

// PostgreSQL's driver gives numbers with a fraction as text.
function product(array $row): array
{
    [$id, $name, $price, $category, $inStock, $rating, $createdAt] = $row;
    $product = ['id' => $id, 'name' => $name, 'price' => (float) $price, 'category' => $category, 'inStock' => (bool) $inStock];
    if ($rating !== null) {
        $product['rating'] = (float) $rating;
    }
    return $product + ['createdAt' => $createdAt];
}

function positive(mixed $text, int $otherwise): int
{
    return filter_var($text, FILTER_VALIDATE_INT, ['options' => ['min_range' => 1, 'default' => $otherwise]]);
}

function one(string $id): never
{
    $row = run(database(), 'SELECT id, name, price, category, inStock, rating, createdAt FROM products WHERE id = ?', $id)->fetch();
    $row ? answer(200, ['success' => true, 'data' => product($row)])
        : answer(404, ['success' => false, 'message' => 'Product not found']);
}

// With CATALOG_COUNTER, the total is read from the counter that the database's triggers keep.
function page(): never
{
    $page = positive($_GET['page'] ?? null, 1);
    $limit = min(positive($_GET['limit'] ?? null, 10), 100);
    $db = database();
    $list = run($db, 'SELECT id, name, price, category, inStock, rating, createdAt FROM products'
        . ' ORDER BY createdAt DESC, id DESC LIMIT ? OFFSET ?', $limit, ($page - 1) * $limit);
    $products = array_map(product(...), $list->fetchAll());
    $count = $_SERVER['CATALOG_COUNTER'] ? 'SELECT n FROM products_counter' : 'SELECT COUNT(*) FROM products';
    $total = (int) $db->query($count)->fetchColumn();
    answer(200, [
        'success' => true,
        'data' => $products,
        'pagination' => ['page' => $page, 'limit' => $limit, 'total' => $total, 'pages' => (int) ceil($total / $limit)],
    ]);
}

function decode(string $part): string
{
    return (string) base64_decode(strtr($part, '-_', '+/'), true);
}

// Verifies an HS256 token as a library would.
function isAuthentic(string $header): bool
{
    if (!preg_match('/^Bearer ([\w-]+)\.([\w-]+)\.([\w-]+)$/D', $header, $part)) {
        return false;
    }
    $head = json_decode(decode($part[1]), true);
    $claims = json_decode(decode($part[2]), true);
    return ($head['alg'] ?? '') === 'HS256'
        && hash_equals(hash_hmac('sha256', "$part[1].$part[2]", $_SERVER['CATALOG_KEY'], true), decode($part[3]))
        && ($claims['iss'] ?? '') === 'mod_catalog' && ($claims['aud'] ?? '') === 'catalog' && ($claims['exp'] ?? 0) > time();
}

function isProduct(mixed $body): bool
{
    $isNumber = fn (mixed $value) => is_int($value) || is_float($value);
    return is_array($body)
        && is_string($body['name'] ?? null) && $body['name'] !== '' && lengthOf($body['name']) <= 200
        && $isNumber($body['price'] ?? null) && $body['price'] >= 0
        && is_string($body['category'] ?? '') && lengthOf($body['category'] ?? '') <= 100
        && is_bool($body['inStock'] ?? true)
        && $isNumber($body['rating'] ?? 0) && ($body['rating'] ?? 0) >= 0 && ($body['rating'] ?? 0) <= 5;
}

function lengthOf(string $text): int
{
    return (int) preg_match_all('/./us', $text);
}

// Version 7 of RFC 9562.
function newId(): string
{
    $chance = bin2hex(random_bytes(9));
    $hex = sprintf('%012x', (int) (microtime(true) * 1000)) . '7' . substr($chance, 0, 3) . '8' . substr($chance, 3, 15);
    return vsprintf('%s%s-%s-%s-%s-%s%s%s', str_split($hex, 4));
}

function create(): never
{
    if (!isAuthentic($_SERVER['HTTP_AUTHORIZATION'] ?? '')) {
        answer(401, ['success' => false, 'message' => 'Authentication required']);
    }
    $body = json_decode((string) file_get_contents('php://input'), true);
    if (!isProduct($body)) {
        answer(400, ['success' => false, 'message' => 'Validation failed']);
    }
    $row = [
        newId(), $body['name'], $body['price'], $body['category'] ?? '', (int) ($body['inStock'] ?? true), $body['rating'] ?? null,
        (new DateTimeImmutable('now', new DateTimeZone('UTC')))->format('Y-m-d\TH:i:s.v\Z'),
    ];
    run(database(), 'INSERT INTO products VALUES (?, ?, ?, ?, ?, ?, ?)', ...$row);
    answer(201, ['success' => true, 'data' => product($row), 'message' => 'Product created']);
}

$path = substr(strtok($_SERVER['REQUEST_URI'], '?'), strlen('/api/products'));
match (true) {
    $_SERVER['REQUEST_METHOD'] === 'POST' => create(),
    $path === '' => page(),
    default => one(substr($path, 1)),
};
