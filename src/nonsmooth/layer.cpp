// removed when the first solver stands here
namespace escapement {}
