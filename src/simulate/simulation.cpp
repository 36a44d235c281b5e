namespace escapement {}
