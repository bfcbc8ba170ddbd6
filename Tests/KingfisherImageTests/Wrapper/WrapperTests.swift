import Foundation
import KingfisherImage
import Testing

extension KingfisherWrapper where Base == String {
    /// A member such as programs add.
    fileprivate var imageURL: URL? { URL(string: "https://images.invalid/" + base) }
}

@Suite struct WrapperTests {
    @Test func programsAddMembersForText() {
        #expect("wren.png".kf.imageURL?.absoluteString == "https://images.invalid/wren.png")
    }
}
