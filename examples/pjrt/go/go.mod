module drumlin.example/pjrt

go 1.19
