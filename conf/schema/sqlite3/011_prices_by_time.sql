-- The order of the list, with what conditions on numbers, inStock and category ask: a range of prices, newest first, passes many products
-- for each that it shows, and reads this index alone.
DROP INDEX products_by_time;
CREATE INDEX products_by_time ON products (created_at, id, price_key, rating_key, in_stock, category);
