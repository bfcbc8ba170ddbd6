import KingfisherImage
public import KingfisherStorage

extension Image: CacheCostCalculable {
    /// The bytes of the decoded pixels of all distinct frames.
    public var cacheCost: Int { costInBytes }
}
