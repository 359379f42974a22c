module detent/peers

go 1.19
