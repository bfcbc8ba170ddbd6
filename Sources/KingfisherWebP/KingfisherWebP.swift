/// WebP for Kingfisher: `import KingfisherWebP` is enough, it brings all of `Kingfisher` along.
@_exported public import Kingfisher
