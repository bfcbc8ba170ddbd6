import Foundation
import KingfisherImage
import Testing

extension KingfisherWrapper where Base == String {
    /// A member as a program would add it.
    fileprivate var imageURL: URL? { URL(string: "https://images.invalid/" + base) }
}

@Suite struct WrapperTests {
    @Test func aProgramCanAddMembersForText() {
        #expect("wren.png".kf.imageURL?.absoluteString == "https://images.invalid/wren.png")
    }
}
