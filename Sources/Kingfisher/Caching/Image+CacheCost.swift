import KingfisherImage
public import KingfisherStorage

extension Image: CacheCostCalculable {
    /// Bytes that the decoded pixels take: pixels x bytes per pixel, for each distinct frame.
    public var cacheCost: Int { costInBytes }
}
