/// PNM for Kingfisher: `import KingfisherPNM` also imports `KingfisherCodecSupport`.
@_exported public import KingfisherCodecSupport
