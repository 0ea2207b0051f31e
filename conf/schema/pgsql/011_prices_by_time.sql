-- The order of the list, with what conditions on the other numbers, inStock and category ask: a range of prices, newest first, passes
-- many products for each that it shows, and reads this index alone.
CREATE INDEX products_by_time_and_price ON products (created_at, id, price_key, rating_key, in_stock, category) WHERE price_key IS NOT NULL;
