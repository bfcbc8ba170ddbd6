/// WebP for Kingfisher: `import KingfisherWebP` also imports all of `Kingfisher`.
@_exported public import Kingfisher
